/// A log that is one file, made the directory that a log usually is.
package enum SegmentFile {
  /// Copies a file into a new directory as the first segment of a log, and makes the copy durable.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - target: A path at which nothing lies, or an empty directory.
  ///   - fileSystem: The door to the disk.
  ///   - check: Takes the path of the copy before it gets its name, and refuses it by an error; returns the marks to lie beside it.
  /// - Throws: ``LogError`` with code `notFound`, `exists`, `locked`, `noSpace`, `inputOutput`; what `check` throws. Nothing is at
  ///   the target then.
  /// - Complexity: O(length of the file); memory O(1).
  package static func unpack(
    _ path: String, to target: String, fileSystem: any LogFileSystem, check: (_ copy: String) throws -> [UInt8]
  ) throws {
    let target = LogFolder.trimmed(target)
    let directory: NewDirectory
    do throws(FileSystemError) { directory = try NewDirectory(at: target, fileSystem) } catch {
      throw LogError.making(error, "the log cannot be made", path: target)
    }
    do {
      let copy = directory.path + "/" + SegmentName.text(first: 1)
      try write(path, to: copy, fileSystem)
      let marks = try check(copy)
      if !marks.isEmpty { try write(marks, to: directory.path + "/" + LogFormat.marksName, fileSystem) }
      try directory.finish()
    } catch {
      directory.discard()
      guard let error = error as? FileSystemError else { throw error }
      throw LogError.files(error, "the log cannot be made")
    }
  }

  private static func write(
    _ path: String, to target: String, _ fileSystem: any LogFileSystem
  ) throws(FileSystemError) {
    let input = try fileSystem.open(path, for: .read)
    defer { input.close() }
    let output = try fileSystem.open(target, for: .create)
    defer { output.close() }
    let size = try input.size()
    var offset = 0
    while offset < size {
      let bytes = try input.bytes(at: offset, count: min(size - offset, LineScanner.defaultChunkBytes))
      guard !bytes.isEmpty else { break }
      try output.append(bytes)
      offset += bytes.count
    }
    try output.synchronize(.full)
  }

  private static func write(
    _ bytes: [UInt8], to target: String, _ fileSystem: any LogFileSystem
  ) throws(FileSystemError) {
    let output = try fileSystem.open(target, for: .create)
    defer { output.close() }
    try output.append(bytes)
    try output.synchronize(.full)
  }
}
