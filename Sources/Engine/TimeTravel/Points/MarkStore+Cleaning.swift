package import ActionLog

extension MarkStore {
  /// The lines that were removed from the file of marks, and where they are kept.
  package struct Cleaning: Sendable {
    package var flaws: [MarkList.Flaw]
    /// The file that holds them now; `nil` if there were none.
    package var keptPath: String?

    package var lineCount: Int { flaws.reduce(0) { sum, flaw in sum + flaw.lineCount } }
  }

  /// Moves the lines that are not marks to a file in the log's `quarantine/`.
  ///
  /// A new file without the lines replaces the old one atomically. A file `marks.jsonl.new` exists from before the old file is
  /// read until then. A process that adds or removes a mark waits for its end, and checks that its mark was kept. If the
  /// cleaning is interrupted, that file stays, has no effect on the marks, and is named in the errors of later changes until a
  /// user removes it.
  package func removeFlaws() throws(LogError) -> Cleaning {
    var cleaning = Cleaning(flaws: [])
    try replace { (file) throws(FileSystemError) in
      var (wrong, bytes): ([UInt8], [UInt8]) = ([], [])
      cleaning.flaws =
        Self.reading(file) { line, isMark in
          if isMark { bytes += line } else { wrong += Self.ended(line) }
        }.flaws
      return (bytes, wrong)
    } keeping: { (wrong) throws(FileSystemError) in
      cleaning.keptPath = try keep(wrong)
    }
    return cleaning
  }

  /// Removes the lines of marks that were removed or replaced, whose names and remarks are still in the file, for good.
  ///
  /// The lines of present marks and those that are not marks stay. The file is replaced as by ``removeFlaws()``.
  package func eraseRemovedMarks() throws(LogError) {
    try replace { (file) throws(FileSystemError) in
      let present = Self.reading(file).marks
      return Self.partition(file) { line in
        do throws(TimeTravelError) {
          guard case .made(let mark) = try MarkLine(parsing: Array(line)) else { return true }
          return !present.contains(mark)
        } catch {
          return false
        }
      }
    }
  }

  /// Removes the lines that contain one of some texts, for good: marks, removed marks, and lines that are not marks.
  package func eraseLines(containing texts: [String]) throws(LogError) -> Int {
    let search = JSONTextSearch(texts)
    var count = 0
    try replace { (file) throws(FileSystemError) in
      count = 0
      return Self.partition(file) { line in
        guard search.isFound(in: line) else { return false }
        count += 1
        return true
      }
    }
    return count
  }

  private static func partition(
    _ file: [UInt8], _ isRemoved: (_ line: ArraySlice<UInt8>) -> Bool
  ) -> (kept: [UInt8], removed: [UInt8]) {
    var parts: (kept: [UInt8], removed: [UInt8]) = ([], [])
    _ = reading(file) { line, _ in
      if isRemoved(line) { parts.removed += line } else { parts.kept += ended(line) }
    }
    return parts
  }

  /// Replaces the file by one without some of its lines, if there are such lines.
  private func replace(
    _ divide: (_ file: [UInt8]) throws(FileSystemError) -> (kept: [UInt8], removed: [UInt8]),
    keeping keep: (_ removed: [UInt8]) throws(FileSystemError) -> Void = { _ throws(FileSystemError) in }
  ) throws(LogError) {
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) != nil, try !divide(wholeFile()).removed.isEmpty else { return }
      let file = try fileSystem.open(temporaryPath, for: .create)
      defer { file.close() }
      var isRenamed = false
      do throws(FileSystemError) {
        // Read again: a process that appends from now on finds the temporary file and waits.
        let lines = try divide(try wholeFile())
        guard !lines.removed.isEmpty else { return try fileSystem.remove(temporaryPath) }
        try keep(lines.removed)
        if !lines.kept.isEmpty { try file.append(lines.kept) }
        try file.sync(.full)
        try fileSystem.rename(temporaryPath, to: path)
        isRenamed = true
        try fileSystem.syncDirectory(log)
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
