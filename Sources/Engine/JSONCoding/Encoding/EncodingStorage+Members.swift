#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EncodingStorage {
  mutating func begin(_ name: String?) -> Int {
    if let name { return beginMember(name) }
    return beginElement()
  }

  /// Begins a member of the current node, an object: a comma and the name.
  ///
  /// - Returns: The start of the name.
  @inline(__always)
  mutating func beginMember(_ name: String) -> Int {
    beginChild()
    // Native strings provide their bytes. Only strings bridged from another runtime are copied first.
    if let start = name.utf8.withContiguousStorageIfAvailable({ beginMember(utf8: $0) }) { return start }
    var name = name
    return name.withUTF8 { beginMember(utf8: $0) }
  }

  private mutating func beginMember(utf8 name: UnsafeBufferPointer<UInt8>) -> Int {
    let start = output.count
    output.string(utf8: name)
    let length = output.count &- start
    let isEscaped = length != name.count &+ 2
    // The bytes are read again: after a short name are its quote and reserved memory.
    let prefix: UInt64
    if isEscaped {
      prefix = name.baseAddress.map { ByteWord.prefix($0, count: name.count, limit: name.count) } ?? 0
    } else {
      prefix = ByteWord.prefix(output.start + start + 1, count: name.count, limit: 8)
    }
    members.append(EncodingMember(start: start, prefix: prefix, nameLength: length, nameIsEscaped: isEscaped))
    output.byte(UInt8(ascii: ":"))
    return start
  }

  /// Begins an element of the current node, an array: a comma.
  ///
  /// - Returns: The index of the element.
  @inline(__always)
  mutating func beginElement() -> Int {
    beginChild()
    if nodes[current].unit > 0 {
      members.append(EncodingMember(start: output.count, nameLength: 0, nameIsEscaped: false))
    }
    return nodes[current].count &- 1
  }

  @inline(__always)
  private mutating func beginChild() {
    let count = nodes[current].count
    nodes[current].count = count &+ 1
    guard count > 0 else { return }
    output.byte(UInt8(ascii: ","))
    if count == 1 { forgetCases() }
  }

  /// A second member: the node is not an enum, and its first member is not a step.
  private mutating func forgetCases() {
    let node = nodes[current]
    if node.caseLevel >= 0 { cases.removeLast(max(0, cases.count - node.caseLevel)) }
    if node.contentLevel >= 0 { cases.removeLast(max(0, cases.count - node.contentLevel - 1)) }
  }

  /// Records a nested keyed container, the current node, as a case if it may be one.
  @inline(__always)
  mutating func noteCase() {
    let (index, parent) = (current, nodes[current].parent)
    if nodes[parent].contentLevel >= 0, let level = caseLevelOfChild(in: parent) {
      nodes[index].caseLevel = level
    } else if nodes[parent].caseLevel == cases.count, nodes[parent].count == 1 {
      nodes[index].contentLevel = cases.count
      cases.append(members[nodes[parent].firstMember])
    }
  }

  /// Ends the path of cases before a value, unless the value is the complete action.
  mutating func endCasePath(before handle: EncodingHandle) {
    if handle.index > 0 { nodes[handle.index].caseLevel = -1 }
  }

  /// Returns the level at which the first member of a case's content may itself be an enum: if its name is `_0`.
  ///
  /// It is mutating only to be passed the storage by address and not as a copy.
  mutating func caseLevelOfChild(in parent: Int) -> Int? {
    let node = nodes[parent]
    guard node.contentLevel >= 0, node.count == 1, node.contentLevel + 1 == cases.count else { return nil }
    let member = members[node.firstMember]
    // Exactly `_0`.
    return member.nameLength == 4 && member.prefix == 0x5F30 << 48 ? node.contentLevel + 1 : nil
  }
}

/// Returns the same value with its own type.
///
/// Callers have compared the two types. A dynamic cast would check for bridging first.
@inline(__always)
func same<Value, Other>(_ value: Value, _ type: Other.Type) -> Other {
  unsafeBitCast(value, to: type)
}

extension EncodingStorage {
  /// Appends a value of a type that containers accept directly.
  @inline(__always)
  mutating func appendPrimitive<Value>(_ value: Value) -> Bool {
    if Value.self == String.self {
      output.string(same(value, String.self))
    } else if Value.self == Int.self {
      output.integer(same(value, Int.self))
    } else if Value.self == Bool.self {
      output.bool(same(value, Bool.self))
    } else if Value.self == Double.self {
      output.double(same(value, Double.self))
    } else if Value.self == Float.self {
      output.float(same(value, Float.self))
    } else {
      return appendInteger(value)
    }
    return true
  }

  @inline(__always)
  private mutating func appendInteger<Value>(_ value: Value) -> Bool {
    if Value.self == Int64.self {
      output.integer(same(value, Int64.self))
    } else if Value.self == Int32.self {
      output.integer(same(value, Int32.self))
    } else if Value.self == Int16.self {
      output.integer(same(value, Int16.self))
    } else if Value.self == Int8.self {
      output.integer(same(value, Int8.self))
    } else if Value.self == UInt.self {
      output.integer(same(value, UInt.self))
    } else if Value.self == UInt64.self {
      output.integer(same(value, UInt64.self))
    } else if Value.self == UInt32.self {
      output.integer(same(value, UInt32.self))
    } else if Value.self == UInt16.self {
      output.integer(same(value, UInt16.self))
    } else if Value.self == UInt8.self {
      output.integer(same(value, UInt8.self))
    } else {
      return false
    }
    return true
  }

  /// Appends a value of a type with a rule on the format page.
  mutating func appendKnown<Value>(_ value: Value, _ shape: EncodingShape) -> Bool {
    switch shape.kind {
    case .plain, .payload, .unordered, .primitive, .dictionary: return false
    case .date: same(value, Date.self).write(directly: &output)
    case .data: same(value, Data.self).write(directly: &output)
    case .url: same(value, URL.self).write(directly: &output)
    case .uuid: same(value, UUID.self).write(directly: &output)
    case .decimal: same(value, Decimal.self).write(directly: &output)
    case .json: appendJSON(same(value, JSONValue.self))
    }
    return true
  }

  /// Its objects and arrays count like those of containers, because callers that rely on the limit do not check the
  /// bytes again.
  private mutating func appendJSON(_ value: JSONValue) {
    guard !value.isDeeper(than: maximumDepth - depth) else {
      output.literal("null")
      return fail(JSONError(.tooDeep, "the nesting is deeper than \(maximumDepth)", path: path))
    }
    output.append(value.bytes(form))
  }
}
