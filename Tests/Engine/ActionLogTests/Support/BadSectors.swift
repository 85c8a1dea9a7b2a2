import ActionLog
import Platform

/// A file system in which some bytes of some files cannot be read, like a failing device.
final class BadSectors: ForwardingFileSystem {
  let base: any LogFileSystem
  private let bad: [String: [Range<Int>]]
  private let attempts = Locked(0)

  /// - Parameter bad: The unreadable bytes of each file.
  init(_ base: any LogFileSystem, _ bad: [String: [Range<Int>]]) {
    self.base = base
    self.bad = bad
  }

  /// The number of failed reads.
  var failureCount: Int { attempts.withLock { attempts in attempts } }

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    BadSectorFile(try base.open(path, for: access), path: path, of: self)
  }

  func check(_ range: Range<Int>, of path: String) throws(FileSystemError) {
    guard bad[path]?.contains(where: range.overlaps) == true else { return }
    attempts.withLock { attempts in attempts += 1 }
    throw FileSystemError(code: .inputOutput, operation: "pread", path: path, errorNumber: 5)
  }
}

/// An open file of ``BadSectors``.
private final class BadSectorFile: ForwardingFile {
  let base: any LogFile
  private let path: String
  private let files: BadSectors

  init(_ base: any LogFile, path: String, of files: BadSectors) {
    self.base = base
    self.path = path
    self.files = files
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try files.check(offset..<min(offset + buffer.count, max(base.size(), offset)), of: path)
    return try base.read(at: offset, into: buffer)
  }
}
