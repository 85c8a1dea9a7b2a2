/// The output of one encoding, and the values that are open in it.
///
/// Bytes are appended as values are encoded; a container is closed when a container around it is used again. Using it
/// after that throws, although `Codable` lets a type return to it: its bytes are followed by those of other values, and
/// may be sorted.
///
/// Nodes form a stack. The nodes of a value are dropped when its `encode(to:)` has returned.
struct EncodingStorage: ~Copyable {
  let owner: Unmanaged<EncodingOwner>
  var output = DirectWriter(capacity: 1024)
  var nodes = RawStack<EncodingNode>(capacity: 32)
  var members = RawStack<EncodingMember>(capacity: 32)
  /// The innermost open node, or −1.
  var current = -1
  var depth = 0
  /// The number of nested calls of `encode(to:)`.
  var frames = 0
  /// The first error that could not be thrown where it occurred. It fails the complete encoding.
  var failure: (any Error)?
  /// The case steps found so far.
  var cases: [EncodingMember] = []
  var shapes = TypeTable<EncodingShape>()
  var containers = ContainerShelf<EncodingState>()
  /// Memory for sorting members, reused between containers.
  var scratch = DirectWriter(capacity: 64)

  private(set) var form = JSONForm.declared
  private(set) var maximumDepth = 0

  private var serial = 0

  /// Calls of `encode(to:)` that open no container (an optional in an optional …) use stack, too. Enums make one call
  /// for every two levels, so this is far more than the greatest depth of containers requires.
  private static let frameLimit = 1024

  /// The memory kept from one value to the next: enough for actions and for small states.
  private static let outputLimit = 1 << 18
  private static let memberLimit = 1 << 12

  init(owner: Unmanaged<EncodingOwner>) {
    self.owner = owner
  }

  func deallocate() {
    containers.deallocate()
    shapes.deallocate()
    nodes.deallocate()
    members.deallocate()
  }

  mutating func begin(_ form: JSONForm, maximumDepth: Int) {
    self.form = form
    self.maximumDepth = min(maximumDepth, JSONTape.depthLimit)
  }

  @inline(__always)
  mutating func finish() throws {
    if let failure { throw failure }
    guard output.count < JSONToken.limit else {
      throw JSONError(.tooLarge, "the encoded value has \(output.count) bytes")
    }
  }

  /// Drops everything, so that retained handles find nothing.
  mutating func abandon() {
    current = -1
    nodes.truncate(to: 0)
    members.truncate(to: 0)
  }

  /// Prepares for the next encoding. Serial numbers continue, so that no handle of this encoding becomes valid again.
  @inline(__always)
  mutating func reset() {
    abandon()
    output.cut(to: 0)
    (depth, frames) = (0, 0)
    if failure != nil { failure = nil }
    cases.removeAll(keepingCapacity: true)
    if output.capacity > EncodingStorage.outputLimit || scratch.capacity > EncodingStorage.outputLimit
      || members.capacity > EncodingStorage.memberLimit || nodes.capacity > EncodingStorage.memberLimit
    {
      trim()
    }
  }

  private mutating func trim() {
    output = DirectWriter(capacity: 1024)
    scratch = DirectWriter(capacity: 64)
    members.deallocate()
    members = RawStack(capacity: 32)
    nodes.deallocate()
    nodes = RawStack(capacity: 32)
  }

  @inline(__always)
  mutating func openSlot(_ key: Int, unit: Int) throws -> EncodingHandle {
    if let failure { throw failure }
    try checkFrames()
    frames &+= 1
    let handle = push(key: key)
    nodes[handle.index].unit = unit
    guard handle.index > 0 else {
      nodes[0].caseLevel = 0
      return handle
    }
    let parent = nodes[handle.index].parent
    if nodes[parent].contentLevel >= 0, let level = caseLevelOfChild(in: parent) {
      nodes[handle.index].caseLevel = level
    }
    return handle
  }

  /// Ends a value that has encoded itself, and drops the nodes that it opened.
  @inline(__always)
  mutating func closeSlot(_ handle: EncodingHandle) throws {
    frames &-= 1
    if !nodes[handle.index].isClosed {
      while current >= handle.index { closeCurrent() }
    }
    if current < handle.index { nodes.truncate(to: handle.index) }
    if let failure { throw failure }
  }

  @inline(__always)
  mutating func checkFrames() throws {
    if frames >= EncodingStorage.frameLimit { throw tooManyFrames() }
  }

  /// It is mutating only to be passed the storage by address and not as a copy.
  @inline(never)
  private mutating func tooManyFrames() -> JSONError {
    JSONError(
      .tooDeep, "a value is encoded within itself more than \(EncodingStorage.frameLimit) times", path: path)
  }

  @inline(__always)
  mutating func push(key: Int) -> EncodingHandle {
    serial &+= 1
    let handle = EncodingHandle(index: nodes.count, serial: serial)
    nodes.append(EncodingNode(serial: serial, parent: current, key: key))
    current = handle.index
    return handle
  }

  @inline(__always)
  mutating func openContainer(_ kind: EncodingNode.Kind, isDictionary: Bool) {
    depth &+= 1
    if depth > maximumDepth {
      fail(JSONError(.tooDeep, "the nesting is deeper than \(maximumDepth)", path: path))
    }
    nodes[current].kind = kind
    nodes[current].firstMember = members.count
    if isDictionary { nodes[current].unit = max(1, nodes[current].unit) }
    output.byte(kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
  }

  /// Ends the current node and makes the one around it current.
  mutating func closeCurrent() {
    let index = current
    switch nodes[index].kind {
    case .slot: output.literal("{}")
    case .scalar: break
    case .object:
      if nodes[index].count > 1 { finishMembers(of: nodes[index]) }
      output.byte(UInt8(ascii: "}"))
    case .array:
      if nodes[index].unit > 0 { sortElements(of: nodes[index]) }
      output.byte(UInt8(ascii: "]"))
    }
    if nodes[index].isContainer {
      depth &-= 1
      members.truncate(to: nodes[index].firstMember)
    }
    nodes[index].isClosed = true
    current = nodes[index].parent
  }

  /// Whether a node is the innermost open one and of a kind, so that it can be used directly.
  @inline(__always)
  func isCurrent(_ handle: EncodingHandle, _ kind: EncodingNode.Kind) -> Bool {
    guard handle.index == current, current >= 0 else { return false }
    return nodes[current].serial == handle.serial && nodes[current].kind == kind && failure == nil
  }

  /// Makes an open node the innermost one by closing the nodes in it.
  mutating func enter(_ handle: EncodingHandle, as kind: EncodingNode.Kind) throws {
    if let failure { throw failure }
    let index = handle.index
    guard index < nodes.count, nodes[index].serial == handle.serial else {
      throw JSONError(.invalidEncoding, "a container is used after the value that opened it was encoded")
    }
    guard !nodes[index].isClosed else {
      throw JSONError(
        .invalidEncoding, "a container is used again after the one around it: fill it before the next value begins",
        path: path(ofClosed: index))
    }
    guard nodes[index].kind == kind else {
      throw JSONError(.invalidEncoding, "a value encodes itself in two ways at once", path: path(of: index))
    }
    // Open nodes are the current one and those around it.
    while current > index { closeCurrent() }
  }

  /// As ``enter(_:as:)``, with the error as the failure of the encoding.
  @inline(never)
  mutating func enters(_ handle: EncodingHandle, as kind: EncodingNode.Kind) -> Bool {
    do {
      try enter(handle, as: kind)
      return true
    } catch {
      fail(error)
      return false
    }
  }

  /// The path of a closed node. If the object around it is closed, too, its names may have been sorted.
  private func path(ofClosed index: Int) -> JSONPointer {
    var index = index
    while nodes[nodes[index].parent].isClosed { index = nodes[index].parent }
    return path(of: index)
  }

  /// Whether a node still exists and is of a kind.
  func isNode(_ handle: EncodingHandle, _ kind: EncodingNode.Kind) -> Bool {
    guard handle.index < nodes.count, nodes[handle.index].serial == handle.serial else { return false }
    return nodes[handle.index].kind == kind
  }

  /// Stores the first error, for callers that cannot throw.
  mutating func fail(_ error: any Error) {
    if failure == nil { failure = error }
  }

  /// Stores an error that is about to be thrown: the output ends within a value, even if the type catches the error.
  @inline(never)
  mutating func failed(_ error: any Error) -> any Error {
    fail(error)
    return error
  }

  var path: JSONPointer { path(of: current) }

  func path(of index: Int) -> JSONPointer {
    JSONPointer(codingPath(of: index).map(\.stringValue))
  }

  func codingPath(of index: Int) -> [JSONCodingKey] {
    var keys: [JSONCodingKey] = []
    var index = index
    while index > 0, index < nodes.count {
      let node = nodes[index]
      if nodes[node.parent].kind == .array {
        keys.append(JSONCodingKey(index: node.key))
      } else {
        keys.append(JSONCodingKey(name: name(at: node.key)))
      }
      index = node.parent
    }
    return keys.reversed()
  }

  private func name(at start: Int) -> String {
    guard start < output.count else { return "" }
    let text = UnsafeBufferPointer(start: output.start + start, count: output.count - start)
    let scanner = JSONScanner(text, maximumDepth: 0)
    do {
      return JSONStrings.string(try scanner.scanString(0), scanner.base)
    } catch {
      return ""
    }
  }
}

/// The slot of one value during encoding: undecided, a scalar, or a container.
struct EncodingNode: BitwiseCopyable {
  enum Kind {
    case slot, scalar, object, array
  }

  /// Distinguishes a node from an earlier one at the same index.
  let serial: Int
  /// The index of the container around this value; −1 for the root. Always smaller than the node's own index.
  let parent: Int
  /// The start of the member's name in the output, or the index in an array.
  let key: Int
  var kind = Kind.slot
  var isClosed = false
  var count = 0
  var firstMember = 0
  /// The number of elements that are sorted as one; 0 if the type determines the order.
  var unit = 0
  /// The number of case steps to this node, if the value may be an enum whose case is the next step; otherwise −1.
  var caseLevel = -1
  /// The case step whose content this node is; otherwise −1.
  var contentLevel = -1

  var isContainer: Bool { kind == .object || kind == .array }
}

struct EncodingHandle: BitwiseCopyable {
  let index: Int
  let serial: Int

  /// The handle of a container that could not be opened. Using it throws.
  static let invalid = EncodingHandle(index: .max, serial: 0)
}

/// The start of a member or a sorted element in the output.
struct EncodingMember: BitwiseCopyable {
  var start: Int
  /// The first unescaped bytes of the name, which decide nearly every comparison.
  var prefix: UInt64 = 0
  /// The length of the name with its quotes; 0 for an element.
  var nameLength: Int
  var nameIsEscaped: Bool
}

/// Operations of the encoder on its output, in addition to appending values.
extension DirectWriter {
  var capacity: Int { end - start }

  @inline(__always)
  mutating func byte(_ byte: UInt8) {
    reserve(1)
    next.pointee = byte
    next += 1
  }

  /// The written bytes, valid until the next change.
  var text: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  /// Returns a part of the output. It is valid until the next change.
  func raw(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
  }
}
