import ActionLog

/// A file that appears at its path whole or not at all.
enum NewFile {
  /// Writes a file beside its path, and gives it its name.
  ///
  /// - Parameters:
  ///   - bytes: What is to be in it.
  ///   - path: A path at which nothing lies.
  ///   - fileSystem: The door to the disk.
  /// - Throws: `LogError` with code `exists`, `noSpace`, `inputOutput`.
  static func write(_ bytes: [UInt8], to path: String, fileSystem: any LogFileSystem) throws(LogError) {
    guard !path.isEmpty else { throw LogError(.invalidArgument, "the path of the file is empty") }
    let unfinished = path + ".unfinished"
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) == nil else {
        throw FileSystemError(code: .exists, operation: "open", path: path)
      }
      // What an earlier attempt has left is nobody's.
      if try fileSystem.status(of: unfinished)?.kind == .file { try fileSystem.remove(unfinished) }
      let file = try fileSystem.open(unfinished, for: .create)
      do throws(FileSystemError) {
        defer { file.close() }
        try file.append(bytes)
        try file.synchronize(.full)
      } catch {
        // The error that counts is the one that ended the writing.
        do throws(FileSystemError) { try fileSystem.remove(unfinished) } catch {}
        throw error
      }
      try fileSystem.rename(unfinished, to: path)
    } catch {
      let isThere = error.code == .exists
      throw LogError(
        isThere ? .exists : error.code == .noSpace ? .noSpace : .inputOutput,
        isThere ? "the file cannot be made: something lies at the path already" : "the file cannot be made", path: path,
        advice: isThere ? "Name a file that does not exist yet." : nil, underlying: error)
    }
  }
}
