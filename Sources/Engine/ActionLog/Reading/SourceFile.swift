/// A segment that is open for reading: a file whose failures are failures of the log, with its path.
struct SourceFile: Sendable {
  let file: any LogFile
  let path: String

  /// Opens a segment.
  init(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    do throws(FileSystemError) { file = try fileSystem.open(path, for: .read) } catch {
      throw LogError.segment(error, "the segment cannot be opened", path: path)
    }
    self.path = path
  }

  /// Takes an open file, for instance one that is open for appending.
  init(_ file: any LogFile, path: String) {
    self.file = file
    self.path = path
  }

  func size() throws(LogError) -> Int {
    do throws(FileSystemError) { return try file.size() } catch { throw unreadable(error) }
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(LogError) -> Int {
    do throws(FileSystemError) { return try file.read(at: offset, into: buffer) } catch { throw unreadable(error) }
  }

  func bytes(at offset: Int, count: Int) throws(LogError) -> [UInt8] {
    do throws(FileSystemError) { return try file.bytes(at: offset, count: count) } catch { throw unreadable(error) }
  }

  func close() { file.close() }

  private func unreadable(_ error: FileSystemError) -> LogError {
    LogError.segment(error, "the segment cannot be read", path: path)
  }
}
