package import ActionLog

// Files next to a log to whose ends lines are appended: parked actions and marks.

/// More attempts than other processes change a name at a time.
private let appendAttemptLimit = 8

extension LogFileSystem {
  /// Opens a file to append to it, and creates it if it is missing. Another process may create or rename it at any time.
  package func openForAppending(_ path: String) throws(FileSystemError) -> any LogFile {
    var attempt = 1
    while true {
      let access: FileAccess = try status(of: path) == nil ? .create : .append
      do throws(FileSystemError) { return try open(path, for: access) } catch {
        guard error.code == .notFound || error.code == .exists, attempt < appendAttemptLimit else { throw error }
        attempt += 1
      }
    }
  }
}

extension LogFile {
  /// Appends lines durably. After a line that a crash truncated, a new line begins.
  ///
  /// - Throws: `FileSystemError`, with code `fileTooLarge` and no error number if the file would have more than `limitBytes` bytes.
  package func append(
    lines: [UInt8], path: String, limitBytes: Int, _ strength: SyncStrength
  ) throws(FileSystemError) {
    let size = try size()
    let isTruncated = size > 0 ? try bytes(at: size - 1, count: 1) != [0x0A] : false
    let lines = (isTruncated ? [0x0A] : []) + lines
    guard size + lines.count <= limitBytes else {
      throw FileSystemError(code: .fileTooLarge, operation: "append", path: path)
    }
    try append(lines)
    try sync(strength)
  }
}

extension FileSystemError {
  /// The code of the error of a store that could not read or write its file.
  package var storeCode: LogError.Code {
    switch code {
    case .noSpace: .noSpace
    // An error without a number is our limit; one with a number is the system's limit on all files.
    case .fileTooLarge where errorNumber == 0: .beyondLimit
    default: .inputOutput
    }
  }
}
