package import ActionLog

extension MarkStore {
  /// The lines that were removed from the file of marks, and where they are kept.
  package struct Cleaning: Sendable {
    /// The removed lines, by their old numbers.
    package var flaws: [MarkList.Flaw]
    /// The file that holds them now; `nil` if there were none.
    package var keptPath: String?

    /// The number of removed lines.
    ///
    /// - Complexity: O(number of flaws).
    package var lineCount: Int { flaws.reduce(0) { sum, flaw in sum + flaw.lineCount } }
  }

  /// Moves the lines that are not marks to a file in the log's `quarantine/`.
  ///
  /// A new file without the lines replaces the old one atomically. A file `marks.jsonl.new` exists from before the old file is
  /// read until then. A process that adds or removes a mark waits for its end, and checks that its mark was kept. If the
  /// cleaning is interrupted, that file stays, has no effect on the marks, and is named in the errors of later changes until a
  /// user removes it.
  ///
  /// - Throws: `LogError` with code `locked` if another cleaning is running or was interrupted; `beyondLimit` if the file is
  ///   too long; `noSpace`, `inputOutput` if it cannot be written. Then the marks are unchanged.
  /// - Complexity: O(length of the file).
  package func removeFlaws() throws(LogError) -> Cleaning {
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) != nil, try !Self.reading(wholeFile()).flaws.isEmpty else {
        return Cleaning(flaws: [])
      }
      let file = try fileSystem.open(temporaryPath, for: .create)
      defer { file.close() }
      var isRenamed = false
      do throws(FileSystemError) {
        // Read again: a process that appends from now on finds the temporary file and waits.
        var (wrong, bytes): ([UInt8], [UInt8]) = ([], [])
        let list = Self.reading(try wholeFile()) { line, isMark in
          if isMark { bytes += line } else { wrong += Self.ended(line) }
        }
        guard !list.flaws.isEmpty else {
          try fileSystem.remove(temporaryPath)
          return Cleaning(flaws: [])
        }
        let kept = try keep(wrong)
        if !bytes.isEmpty { try file.append(bytes) }
        try file.sync(.full)
        try fileSystem.rename(temporaryPath, to: path)
        isRenamed = true
        try fileSystem.syncDirectory(log)
        return Cleaning(flaws: list.flaws, keptPath: kept)
      } catch {
        // Report the first error. If the temporary file remains, the next cleaning reports it.
        if !isRenamed {
          do throws(FileSystemError) { try fileSystem.remove(temporaryPath) } catch {}
        }
        throw error
      }
    } catch {
      if error.code == .exists, error.path == temporaryPath { throw beingCleaned(underlying: error) }
      throw failure(error, "the marks cannot be cleaned")
    }
  }

  private func wholeFile() throws(FileSystemError) -> [UInt8] {
    try fileSystem.contents(of: path, limitBytes: limitBytes)
  }

  /// More cleanings than a log ever has.
  private static let keptLimit = 10_000

  private static func ended(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.last == UInt8(ascii: "\n") ? line : line + [UInt8(ascii: "\n")]
  }

  /// Writes lines to a new file in the quarantine.
  private func keep(_ bytes: [UInt8]) throws(FileSystemError) -> String {
    let folder = log + "/" + LogFormat.quarantineName
    if try fileSystem.status(of: folder) == nil {
      try fileSystem.createDirectory(folder)
      try fileSystem.syncDirectory(log)
    }
    for number in 1...Self.keptLimit {
      let path = "\(folder)/\(LogFormat.marksName).\(number).torn"
      do throws(FileSystemError) {
        let file = try fileSystem.open(path, for: .create)
        defer { file.close() }
        try file.append(bytes)
        try file.sync(.full)
        try fileSystem.syncDirectory(folder)
        return path
      } catch {
        guard error.code == .exists else { throw error }
      }
    }
    throw FileSystemError(code: .exists, operation: "open", path: folder)
  }
}
