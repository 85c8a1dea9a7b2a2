package import ActionLog

/// Converts a log that is a single file to a directory.
package enum SegmentFile {
  /// Copies a file to a new directory as the first segment of a log, and makes the copy durable.
  ///
  /// - Throws: `LogError` with code `notFound`, `exists`, `locked`, `noSpace`, `inputOutput`, or the error that
  ///   `check` throws. The target does not exist then.
  package static func unpack(
    _ path: String, to target: String, fileSystem: any LogFileSystem, check: (_ copy: String) throws -> [UInt8]
  ) throws {
    let target = LogFolder.trimmed(target)
    let directory = try NewDirectory(at: target, fileSystem, failure: "the log cannot be created")
    do {
      let copy = directory.path + "/" + SegmentName.text(first: 1)
      try fileSystem.copy(path, to: copy)
      let marks = try check(copy)
      if !marks.isEmpty { try fileSystem.createFile(directory.path + "/" + LogFormat.marksName, with: marks) }
      try directory.finish()
    } catch {
      directory.discard()
      guard let error = error as? FileSystemError else { throw error }
      throw LogError.files(error, "the log cannot be created")
    }
  }
}
