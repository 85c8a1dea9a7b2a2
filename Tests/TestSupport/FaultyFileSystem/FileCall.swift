/// A call of a file system, as ``FaultyFileSystem`` writes it down.
public struct FileCall: Equatable, Sendable {
  /// The calls that can fail.
  public enum Operation: String, Sendable, CaseIterable {
    case status, names, createDirectory, open, rename, remove, syncDirectory, lock
    case size, read, append, write, truncate, sync
  }

  /// What was called.
  public var operation: Operation
  /// The file or directory.
  public var path: String
  /// Where a file was renamed to.
  public var newPath: String?

  /// Makes a call from its parts.
  public init(_ operation: Operation, _ path: String, to newPath: String? = nil) {
    self.operation = operation
    self.path = path
    self.newPath = newPath
  }
}

extension FileCall: CustomStringConvertible {
  /// For instance `rename log/a.new log/a`.
  public var description: String {
    ([operation.rawValue, path] + [newPath].compactMap { path in path }).joined(separator: " ")
  }
}
