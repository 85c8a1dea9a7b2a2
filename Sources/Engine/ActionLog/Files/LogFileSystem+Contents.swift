extension LogFileSystem {
  /// All bytes of a small file.
  ///
  /// - Parameter limitBytes: The longest file that is read.
  /// - Throws: ``FileSystemError/Code/fileTooLarge`` beyond the limit.
  /// - Complexity: O(length of the file), in memory too.
  package func contents(of path: String, limitBytes: Int) throws(FileSystemError) -> [UInt8] {
    let file = try open(path, for: .read)
    defer { file.close() }
    let size = try file.size()
    guard size <= limitBytes else {
      throw FileSystemError(code: .fileTooLarge, operation: "read", path: path)
    }
    return try file.bytes(at: 0, count: size)
  }
}
