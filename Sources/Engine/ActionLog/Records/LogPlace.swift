/// Where a record stands on disk.
public struct LogPlace: Sendable, Equatable {
  /// The segment's path.
  public var path: String
  /// The first byte of the line in the file, counted from 0.
  public var byteOffset: Int
  /// The line in the file, counted from 1; `nil` when reading began in the middle of the file.
  public var line: Int?

  /// Makes a place from its parts.
  public init(path: String, byteOffset: Int, line: Int? = nil) {
    self.path = path
    self.byteOffset = byteOffset
    self.line = line
  }
}
