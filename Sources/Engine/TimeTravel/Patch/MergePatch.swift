public import JSONCoding

/// A document that says how another one changes by looking like it, as RFC 7396 defines it.
///
/// Members that are there replace those of the target, members that are `null` remove them, everything that is not an
/// object replaces what it meets. So a merge patch cannot set a member to `null`, nor change one element of an array.
public struct MergePatch: Hashable, Sendable {
  /// The patch document.
  public var document: JSONValue

  /// Takes a patch document; every JSON value is one.
  public init(_ document: JSONValue) {
    self.document = document
  }

  /// Applies the patch.
  ///
  /// - Returns: The changed document; it cannot fail.
  /// - Complexity: O(size of the patch).
  public func apply(to target: JSONValue) -> JSONValue {
    Self.merging(document, into: target)
  }

  private static func merging(_ patch: JSONValue, into target: JSONValue) -> JSONValue {
    guard case .object(let members) = patch else { return patch }
    var result = JSONObject()
    if case .object(let object) = target { result = object }
    for (name, value) in members {
      if value == .null {
        result[name] = nil
      } else {
        result[name] = merging(value, into: result[name] ?? .null)
      }
    }
    return .object(result)
  }
}
