import ActionLog
import Platform

/// A file as input, read portion by portion.
final class FileInput: ToolInput {
  private let file: any LogFile
  private let position = Locked(0)

  /// Opens a regular file.
  init(_ path: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) {
    file = try fileSystem.open(path, for: .read)
  }

  deinit { file.close() }

  func size() throws(FileSystemError) -> Int { try file.size() }

  func read(limit: Int) throws(ToolStreamError) -> [UInt8] {
    try position.withLock { position throws(ToolStreamError) in
      do throws(FileSystemError) {
        let bytes = try file.bytes(at: position, count: limit)
        position += bytes.count
        return bytes
      } catch {
        throw .failed(errorNumber: error.errorNumber)
      }
    }
  }
}
