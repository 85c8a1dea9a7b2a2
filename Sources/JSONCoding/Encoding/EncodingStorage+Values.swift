#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The same value under the name of its type.
///
/// Callers have compared the two types; a dynamic cast would look for bridging first.
@inline(__always)
private func same<Value, Other>(_ value: Value, _ type: Other.Type) -> Other {
  unsafeBitCast(value, to: type)
}

extension EncodingStorage {
  /// Appends a value of a type that containers take directly.
  ///
  /// - Returns: Whether it is of such a type. Where the type is known, the compiler leaves one branch of this.
  @inline(__always)
  mutating func appendPrimitive<Value>(_ value: Value) -> Bool {
    if Value.self == String.self {
      JSONText.appendString(same(value, String.self), to: &output)
    } else if Value.self == Int.self {
      JSONText.appendInt(same(value, Int.self), to: &output)
    } else if Value.self == Bool.self {
      output.append(contentsOf: (same(value, Bool.self) ? "true" : "false").utf8)
    } else if Value.self == Double.self {
      JSONText.appendDouble(same(value, Double.self), to: &output)
    } else if Value.self == Float.self {
      JSONText.appendFloat(same(value, Float.self), to: &output)
    } else {
      return appendInteger(value)
    }
    return true
  }

  @inline(__always)
  private mutating func appendInteger<Value>(_ value: Value) -> Bool {
    if Value.self == Int64.self {
      JSONText.appendInt(same(value, Int64.self), to: &output)
    } else if Value.self == Int32.self {
      JSONText.appendInt(same(value, Int32.self), to: &output)
    } else if Value.self == Int16.self {
      JSONText.appendInt(same(value, Int16.self), to: &output)
    } else if Value.self == Int8.self {
      JSONText.appendInt(same(value, Int8.self), to: &output)
    } else if Value.self == UInt.self {
      JSONText.appendInt(same(value, UInt.self), to: &output)
    } else if Value.self == UInt64.self {
      JSONText.appendInt(same(value, UInt64.self), to: &output)
    } else if Value.self == UInt32.self {
      JSONText.appendInt(same(value, UInt32.self), to: &output)
    } else if Value.self == UInt16.self {
      JSONText.appendInt(same(value, UInt16.self), to: &output)
    } else if Value.self == UInt8.self {
      JSONText.appendInt(same(value, UInt8.self), to: &output)
    } else {
      return false
    }
    return true
  }

  /// Appends a value of a type that the format page has a rule for.
  ///
  /// - Returns: Whether there is one; if not, the type encodes itself.
  mutating func appendKnown<Value>(_ value: Value, _ shape: EncodingShape) -> Bool {
    switch shape {
    case .plain, .unordered: return false
    case .date: appendDate(same(value, Date.self))
    case .data: JSONText.appendString(same(value, Data.self).base64EncodedString(), to: &output)
    case .url: JSONText.appendString(same(value, URL.self).absoluteString, to: &output)
    case .uuid: JSONText.appendString(same(value, UUID.self).uuidString, to: &output)
    case .decimal: JSONText.appendString(same(value, Decimal.self).description, to: &output)
    case .json: same(value, JSONValue.self).append(to: &output, form)
    }
    return true
  }

  private mutating func appendDate(_ date: Date) {
    let seconds = date.timeIntervalSinceReferenceDate
    if let text = DateText(secondsSince2001: seconds) {
      output.append(UInt8(ascii: "\""))
      text.append(to: &output)
      output.append(UInt8(ascii: "\""))
    } else {
      JSONText.appendDouble(seconds, to: &output)
    }
  }
}
