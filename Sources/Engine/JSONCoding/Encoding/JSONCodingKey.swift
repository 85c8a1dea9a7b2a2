/// A key of a coding path: the name of a member or the index of an element.
struct JSONCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(name: String) {
    stringValue = name
    intValue = nil
  }

  init(index: Int) {
    stringValue = String(index)
    intValue = index
  }

  init?(stringValue: String) {
    self.init(name: stringValue)
  }

  init?(intValue: Int) {
    self.init(index: intValue)
  }

  /// The name that `superEncoder()` and `superDecoder()` use, as Foundation's coders do.
  static let `super` = JSONCodingKey(name: "super")
}
