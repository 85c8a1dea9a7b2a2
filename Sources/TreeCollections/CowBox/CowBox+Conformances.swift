extension CowBox: Equatable where Value: Equatable {
  /// Whether two boxes hold equal values.
  ///
  /// A value that is not equal to itself, like a number that is none, is equal to itself in a shared box.
  ///
  /// - Complexity: O(1) for copies of one box, otherwise that of comparing the values.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    left.isTriviallyIdentical(to: right) || left.storage.value == right.storage.value
  }
}

extension CowBox: Hashable where Value: Hashable {
  /// Hashes as the value does.
  @inlinable
  public func hash(into hasher: inout Hasher) { storage.value.hash(into: &hasher) }
}

extension CowBox: Encodable where Value: Encodable {
  /// Encodes the value as if it were in no box.
  ///
  /// - Throws: What the encoder throws.
  @inlinable
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(storage.value)
  }
}

extension CowBox: Decodable where Value: Decodable {
  /// Decodes a value that was in no box or in one.
  ///
  /// - Throws: What the decoder throws.
  @inlinable
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Value.self))
  }
}

extension CowBox: CustomStringConvertible {
  /// The description of the value.
  public var description: String { String(describing: storage.value) }
}

extension CowBox: CustomReflectable {
  /// The mirror of the value.
  public var customMirror: Mirror { Mirror(reflecting: storage.value) }
}
