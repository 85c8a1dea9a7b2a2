// A dictionary lets `Dictionary` code it: that has forms of its own for keys that are names, numbers or neither, and coders
// have rules of their own for it (sorting, keys that are not to be renamed, keys that are equal). So both give the same
// bytes with every coder, at the price of a `Dictionary` for the time of coding.

extension TreeDictionary: Encodable where Key: Encodable, Value: Encodable {
  /// Encodes the elements exactly as a `Dictionary` of them.
  ///
  /// - Throws: What the encoder throws.
  /// - Complexity: O(*n*), besides that of the encoder.
  @inlinable
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Dictionary(part(for: encoder)))
  }
}

extension TreeDictionary: Decodable where Key: Decodable, Value: Decodable {
  /// Decodes what a `Dictionary` decodes.
  ///
  /// - Throws: What the decoder throws.
  /// - Complexity: O(*n*), besides that of the decoder.
  @inlinable
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([Key: Value].self))
  }
}

extension TreeDictionary {
  /// Makes a dictionary of the elements of a `Dictionary`.
  ///
  /// - Complexity: O(*n*).
  @inlinable
  public init(_ elements: [Key: Value]) {
    self.init(uniqueKeysWithValues: elements.lazy.map { ($0.key, $0.value) })
  }
}
