public import JSONCoding
public import TreeCollections

// Here both modules meet that know nothing of each other.

extension TreeDictionary: DirectCodable where Key: DirectCodable, Value: DirectCodable {
  /// Writes the elements as a `Dictionary` of them is written.
  @inlinable
  public func write(directly writer: inout DirectWriter) {
    writer.members(of: self)
  }

  /// Reads what a `Dictionary` reads.
  @inlinable
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self.init()
    try reader.members { (key: Key, value) in updateValue(value, forKey: key) == nil }
  }

  /// The types of keys and values.
  public static var directShape: DirectShape { [Key: Value].directShape }
}
