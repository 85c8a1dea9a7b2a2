/// Arrays in place of raw buffers, for what is small or read once.
extension LogFile {
  /// The bytes from `offset`, at most `count` of them: fewer only at the end of the file.
  ///
  /// - Complexity: O(`count`), in memory too, however short the file is: the caller bounds `count`.
  package func bytes(at offset: Int, count: Int) throws(FileSystemError) -> [UInt8] {
    var outcome = Result<Int, FileSystemError>.success(0)
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      outcome = Result { () throws(FileSystemError) in try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
      }
      if case .success(let read) = outcome { initializedCount = read }
    }
    _ = try outcome.get()
    return bytes
  }

  /// Writes bytes at the end.
  package func append(_ bytes: [UInt8]) throws(FileSystemError) {
    let outcome = bytes.withUnsafeBytes { buffer in
      Result { () throws(FileSystemError) in try append(buffer) }
    }
    try outcome.get()
  }

  /// Writes bytes at an offset.
  package func write(_ bytes: [UInt8], at offset: Int) throws(FileSystemError) {
    let outcome = bytes.withUnsafeBytes { buffer in
      Result { () throws(FileSystemError) in try write(buffer, at: offset) }
    }
    try outcome.get()
  }
}
