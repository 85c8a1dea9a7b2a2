public import ActionLog

/// The report on a salvaged log and its marks.
public struct MarkedSalvage: Sendable {
  /// The report on the records.
  public let report: SalvageReport
  /// The marks that were kept, moved and lost.
  public let marks: MarkCarryOver
  /// The reason why the marks of the old log cannot be read. Then the new log has no marks.
  public let marksError: LogError?
}

extension LogSalvage {
  /// Salvages a damaged log into a new one, with its marks. The old log does not change.
  ///
  /// The new log appears at its path with its marks, or not at all. Unreadable marks do not prevent saving the actions: the
  /// new log has no marks then, and the result contains the error.
  ///
  /// - Parameters:
  ///   - path: The old log's directory.
  ///   - target: A path without a file, or an empty directory; not inside the old log.
  ///   - join: Whether to append the actions from after gaps to the intact ones, with new numbers. Their marks get the new
  ///     numbers.
  ///   - model: The name of the model, for a log without a readable first line in any segment.
  ///   - fileSystem: The file system of both logs.
  ///   - environment: The clock and the source of the identifier of the new log.
  /// - Throws: `LogError` as `LogSalvage.salvage(at:to:join:model:fileSystem:environment:)`, also if the marks cannot be
  ///   written.
  /// - Complexity: O(length of the log + number of marks × log(number of gaps)); memory O(longest line + length of the
  ///   marks).
  public static func salvageWithMarks(
    at path: String,
    to target: String,
    join: Bool = false,
    model: String? = nil,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    environment: LogEnvironment = .live
  ) throws(LogError) -> MarkedSalvage {
    var marks = MarkCarryOver()
    var marksError: LogError?
    var old = MarkList()
    // The marks are read before the actions, so that a concurrent mark of a concurrent action does not seem lost.
    do throws(LogError) { old = try MarkStore(at: path, fileSystem: fileSystem).read() } catch { marksError = error }
    let report = try salvage(
      at: path, to: target, join: join, model: model, fileSystem: fileSystem, environment: environment
    ) { (directory, report) throws(LogError) in
      guard marksError == nil else { return }
      marks = MarkCarryOver(old, salvaged: report)
      do throws(LogError) {
        try MarkStore(at: directory, fileSystem: fileSystem).add(marks.all)
      } catch {
        throw LogError(
          error.code, "the marks cannot be copied, so there is no new log: \(error.message)", path: target,
          underlying: error.underlying)
      }
    }
    return MarkedSalvage(report: report, marks: marks, marksError: marksError)
  }
}

/// The marks of a damaged log in a salvaged one.
public struct MarkCarryOver: Sendable {
  /// A mark whose action has another number in the new log.
  public struct Move: Sendable, Hashable {
    /// The mark in the new log.
    public let mark: Mark
    /// The revision of the mark in the old log.
    public let oldRevision: Int
  }

  /// The marks with the same revision in both logs.
  public private(set) var kept: [Mark] = []
  /// The marks whose action has another number.
  public private(set) var moved: [Move] = []
  /// The marks whose action is not in the new log.
  public private(set) var lost: [Mark] = []
  /// The lines of the old file that are not marks. They are not copied.
  public private(set) var flaws: [MarkList.Flaw] = []

  /// Creates the result for no marks.
  init() {}

  /// Carries over the marks of a log. Marks of intact actions stay, those of joined actions get the new number of the action.
  ///
  /// - Complexity: O(number of marks × log(number of gaps)).
  init(_ list: MarkList, salvaged report: SalvageReport) {
    flaws = list.flaws
    for mark in list.marks {
      switch report.revision(ofOld: mark.revision) {
      case mark.revision?: kept.append(mark)
      case let revision?: moved.append(Move(mark: Mark(mark, at: revision), oldRevision: mark.revision))
      case nil: lost.append(mark)
      }
    }
  }

  /// The marks of the new log.
  var all: [Mark] { kept + moved.map(\.mark) }
}

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
  ///
  /// - Throws: As ``removeFlaws()``.
  /// - Complexity: O(length of the file).
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
  ///
  /// - Parameter texts: The texts, compared by their bytes in JSON.
  /// - Returns: The number of removed lines.
  /// - Throws: As ``removeFlaws()``.
  /// - Complexity: O(length of the file · number of texts).
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

  /// Divides the lines of a file.
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
  ///
  /// - Parameters:
  ///   - divide: Returns the lines of a file that stay, and the others. It is called again when no other process appends.
  ///   - keep: Receives the removed lines before they are removed.
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
