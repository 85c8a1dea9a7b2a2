import JSONCoding

extension JSONValue {
  /// Whether a string has a part, an array an element, an object a member of a name.
  func contains(_ part: JSONValue) -> Bool {
    switch (self, part) {
    case (.string(let text), .string(let part)): text.utf8.contains(part.utf8)
    case (.array(let elements), _): elements.contains { element in NumericEquality.areEqual(element, part) }
    case (.object(let object), .string(let name)): object[name] != nil
    default: false
    }
  }
}

extension String.UTF8View {
  /// Whether the bytes of another text stand in this one.
  fileprivate func contains(_ part: String.UTF8View) -> Bool {
    let (whole, part) = (Array(self), Array(part))
    guard part.count <= whole.count else { return false }
    return (0...(whole.count - part.count)).contains { start in whole[start..<start + part.count].elementsEqual(part) }
  }
}
