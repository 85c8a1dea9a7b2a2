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
    var builder = Builder()
    try reader.members { (key: Key, value) in
      builder.append(key, value)
      return true
    }
    // Of two equal keys, the tolerant decoder has to say which one counts.
    guard let built = builder.finish() else { throw DirectMismatch() }
    self = built
  }

  /// The types of keys and values.
  public static var directShape: DirectShape { [Key: Value].directShape }
}
