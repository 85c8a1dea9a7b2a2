public import ActionLog

extension MarkStore {
  /// Lines that were taken out of the marks' file, and where they are kept.
  public struct Cleaning: Sendable {
    /// The lines that were no marks, as they were numbered.
    public var flaws: [MarkList.Flaw]
    /// The file that holds them now; `nil` when there were none.
    public var keptPath: String?

    /// How many lines were taken out.
    ///
    /// - Complexity: O(number of flaws).
    public var lineCount: Int { flaws.reduce(0) { sum, flaw in sum + flaw.lineCount } }
  }

  /// Takes the lines that are no marks out of the file, and keeps them in a file of the log's `quarantine/`.
  ///
  /// The file without the lines takes the other's place whole. A file `marks.jsonl.new` lies beside it from before it is read until
  /// then: whoever adds a mark or takes one away meanwhile waits for its end, and looks whether the file has it. When the cleaning
  /// is cut off that file stays, changes nothing in the marks, and is named in the errors of those who would change them until
  /// somebody removes it.
  ///
  /// - Throws: `LogError` with code `locked` while somebody else does the same, or was cut off doing it; `beyondLimit` when the file
  ///   is too long; `noSpace`, `inputOutput` when it cannot be done. The marks are as they were then.
  /// - Complexity: O(length of the file).
  public func removeFlaws() throws(LogError) -> Cleaning {
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) != nil, try !Self.reading(wholeFile()).flaws.isEmpty else {
        return Cleaning(flaws: [])
      }
      let file = try fileSystem.open(temporaryPath, for: .create)
      defer { file.close() }
      var isRenamed = false
      do throws(FileSystemError) {
        // Only what is read from here on counts: who adds lines now sees the temporary file, and waits.
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
        // The error that counts is this one; what is left behind says so the next time.
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

  /// More attempts at cleaning than a log sees.
  private static let keptLimit = 10_000

  private static func ended(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.last == UInt8(ascii: "\n") ? line : line + [UInt8(ascii: "\n")]
  }

  /// Writes lines into a new file of the quarantine.
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
