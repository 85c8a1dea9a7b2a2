extension JSONValue {
  /// The value at a place, or `nil` if there is none.
  ///
  /// - Complexity: O(depth).
  public subscript(pointer: JSONPointer) -> JSONValue? {
    var value = self
    for token in pointer.tokens {
      switch value {
      case .object(let object):
        guard let member = object[token] else { return nil }
        value = member
      case .array(let elements):
        guard let index = JSONPointer.index(of: token), index < elements.count else { return nil }
        value = elements[index]
      default: return nil
      }
    }
    return value
  }
}
