#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Returns the same value with its own type.
///
/// Callers have compared the two types. A dynamic cast would check for bridging first.
@inline(__always)
private func same<Value, Other>(_ value: Value, _ type: Other.Type) -> Other {
  unsafeBitCast(value, to: type)
}

extension EncodingStorage {
  /// Appends a value of a type that containers accept directly.
  ///
  /// - Returns: Whether it is of such a type. If the type is known, the compiler keeps only one branch.
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
  ///
  /// - Returns: Whether there is one; if not, the type encodes itself.
  mutating func appendKnown<Value>(_ value: Value, _ shape: EncodingShape) -> Bool {
    switch shape.kind {
    case .plain, .payload, .unordered, .primitive, .dictionary: return false
    case .date: appendDate(same(value, Date.self))
    case .data: output.string(same(value, Data.self).base64EncodedString())
    case .url: output.string(same(value, URL.self).absoluteString)
    case .uuid: output.string(same(value, UUID.self).uuidString)
    case .decimal: output.string(same(value, Decimal.self).description)
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

  private mutating func appendDate(_ date: Date) {
    let seconds = date.timeIntervalSinceReferenceDate
    guard let text = DateText(secondsSince2001: seconds) else { return output.double(seconds) }
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    text.append(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    output.append(bytes)
  }
}
