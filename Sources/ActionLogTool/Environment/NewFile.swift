import ActionLog

/// A file that appears at its path whole or not at all: until then its bytes lie beside it.
final class NewFile {
  let path: String
  /// How many bytes were appended.
  private(set) var sizeBytes = 0
  private let unfinished: String
  private let fileSystem: any LogFileSystem
  private let file: any LogFile
  private var buffer: [UInt8] = []
  private var isOpen = true

  /// Enough that a call for each portion does not matter.
  private static let bufferLimitBytes = 256 << 10

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - path: A path at which nothing lies.
  ///   - fileSystem: The door to the disk.
  /// - Throws: `LogError` with code `exists`, `noSpace`, `inputOutput`.
  init(_ path: String, fileSystem: any LogFileSystem) throws(LogError) {
    guard !path.isEmpty else { throw LogError(.invalidArgument, "the path of the file is empty") }
    self.path = path
    self.fileSystem = fileSystem
    unfinished = path + ".unfinished"
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) == nil else {
        throw FileSystemError(code: .exists, operation: "open", path: path)
      }
      // What an earlier attempt has left is nobody's.
      if try fileSystem.status(of: unfinished)?.kind == .file { try fileSystem.remove(unfinished) }
      file = try fileSystem.open(unfinished, for: .create)
    } catch {
      throw Self.failure(error, path)
    }
  }

  /// Adds bytes at the end.
  ///
  /// - Throws: `LogError` with code `noSpace`, `inputOutput`; then only ``discard()`` is left to be done.
  func append(_ bytes: [UInt8]) throws(LogError) {
    buffer += bytes
    sizeBytes += bytes.count
    if buffer.count >= Self.bufferLimitBytes { try flush() }
  }

  /// Gives the file its name.
  ///
  /// - Throws: As ``append(_:)``.
  func finish() throws(LogError) {
    try flush()
    do throws(FileSystemError) {
      try file.synchronize(.full)
      try fileSystem.rename(unfinished, to: path)
    } catch {
      throw Self.failure(error, path)
    }
    file.close()
    isOpen = false
  }

  /// Takes away what was written, unless it is whole.
  func discard() {
    guard isOpen else { return }
    file.close()
    isOpen = false
    // The error that counts is the one that ended the writing.
    do throws(FileSystemError) { try fileSystem.remove(unfinished) } catch {}
  }

  /// Makes a file of bytes that are there already.
  ///
  /// - Throws: As ``init(_:fileSystem:)``.
  static func write(_ bytes: [UInt8], to path: String, fileSystem: any LogFileSystem) throws(LogError) {
    let file = try NewFile(path, fileSystem: fileSystem)
    do throws(LogError) {
      try file.append(bytes)
      try file.finish()
    } catch {
      file.discard()
      throw error
    }
  }

  private func flush() throws(LogError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    do throws(FileSystemError) { try file.append(buffer) } catch { throw Self.failure(error, path) }
  }

  private static func failure(_ error: FileSystemError, _ path: String) -> LogError {
    let isThere = error.code == .exists
    return LogError(
      isThere ? .exists : error.code == .noSpace ? .noSpace : .inputOutput,
      isThere ? "the file cannot be made: something lies at the path already" : "the file cannot be made", path: path,
      advice: isThere ? "Name a file that does not exist yet." : nil, underlying: error)
  }
}
