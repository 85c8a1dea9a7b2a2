public import ActionLog
public import EventSourcing

/// The marks beside a log, in its `marks.jsonl`.
///
/// The file is appended to, one whole line at a time, and each line checks by itself. So a crash costs at most the mark that was being
/// made, and marks can be made while a writer is at work on the log, whose lock they do not need. The log does not depend on them:
/// recovery passes over the file, `backup` copies it. Lines that are no marks are passed over until ``removeFlaws()`` is asked to take
/// them away.
public struct MarkStore: Sendable {
  /// The file.
  public let path: String

  let log: String
  let fileSystem: any LogFileSystem
  /// How long the file may become.
  let limitBytes: Int

  /// Thousands of marks with remarks of the greatest length.
  private static let usualLimitBytes = 64 << 20
  /// So often a mark that is added looks whether the cleaning of the file has ended, and whether the file has it.
  private static let attemptLimit = 16

  /// The file that takes the place of the other one when it is cleaned. While there is one, no mark is said to be made.
  var temporaryPath: String { path + ".new" }

  /// The marks of a log.
  ///
  /// - Parameters:
  ///   - log: The path of the log's directory.
  ///   - fileSystem: Where the log lies.
  public init(log: String, fileSystem: any LogFileSystem = POSIXFileSystem()) {
    self.init(log: log, fileSystem: fileSystem, limitBytes: Self.usualLimitBytes)
  }

  /// The marks of a log, in a file that becomes no longer than a limit.
  package init(log: String, fileSystem: any LogFileSystem, limitBytes: Int) {
    self.log = log
    self.path = log + "/" + LogFormat.marksName
    self.fileSystem = fileSystem
    self.limitBytes = limitBytes
  }

  /// Reads the marks.
  ///
  /// - Returns: None when there is no file.
  /// - Throws: `LogError` with code `inputOutput` when the file cannot be read, `beyondLimit` when it is too long.
  /// - Complexity: O(length of the file).
  public func read() throws(LogError) -> MarkList {
    let bytes: [UInt8]
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) != nil else { return MarkList() }
      bytes = try fileSystem.contents(of: path, limitBytes: limitBytes)
    } catch {
      throw failure(error, "the marks cannot be read")
    }
    return Self.reading(bytes)
  }

  /// Adds a mark, and makes it durable.
  ///
  /// - Throws: ``TimeTravelError/Code/markExists`` when there is one of that name; `LogError` with code `noSpace`, `inputOutput`
  ///   when it cannot be written, `beyondLimit` when the file would become too long: what the file held before is as it was.
  ///   `locked` while somebody cleans the file, or was cut off doing it; the message says whether the mark may have been made.
  /// - Complexity: O(length of the file).
  public func add(_ mark: Mark) throws {
    if let other = try read()[mark.name] {
      throw TimeTravelError(
        .markExists,
        "there is a mark '\(mark.name)' already, at revision \(other.revision): "
          + "take it away first, or choose another name")
    }
    try add([mark])
  }

  /// Adds marks whose names are free, all of them with one write.
  func add(_ marks: [Mark]) throws(LogError) {
    guard !marks.isEmpty else { return }
    try write(marks.flatMap { mark in MarkLine.bytes(of: mark, isRemoved: false, time: mark.time) })
  }

  /// Takes a mark away.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - time: When it is taken away.
  /// - Returns: The mark that was.
  /// - Throws: ``TimeTravelError/Code/unknownMark``, with the names that may have been meant; `LogError` as for ``add(_:)``.
  /// - Complexity: O(length of the file).
  @discardableResult public func remove(_ name: String, time: LogTime) throws -> Mark {
    let list = try read()
    guard let mark = list[name] else {
      throw TimeTravelError(
        .unknownMark, "there is no mark '\(name)'",
        suggestions: NameSuggestion.suggestions(for: name, among: list.marks.map(\.name)))
    }
    try write(MarkLine.bytes(of: mark, isRemoved: true, time: time))
    return mark
  }
}

extension MarkStore {
  /// What the bytes of a file say.
  ///
  /// - Parameter body: Is called with each line and its line feed, and whether it is a mark.
  static func reading(_ bytes: [UInt8], _ body: (_ line: ArraySlice<UInt8>, _ isMark: Bool) -> Void = { _, _ in })
    -> MarkList
  {
    var list = MarkList()
    // In the order of the lines; `nil` where a later line took the mark away or made it anew.
    var marks: [Mark?] = []
    var places: [String: Int] = [:]
    var line = 0
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { index in index + 1 } ?? rest.endIndex
      line += 1
      do throws(TimeTravelError) {
        switch try MarkLine(parsing: Array(rest[..<end])) {
        case .made(let mark):
          if let place = places.updateValue(marks.count, forKey: mark.name) { marks[place] = nil }
          marks.append(mark)
        case .removed(let name):
          if let place = places.removeValue(forKey: name) { marks[place] = nil }
        }
        body(rest[..<end], true)
      } catch {
        list.note(error.message, ofLine: line)
        body(rest[..<end], false)
      }
      rest = rest[end...]
    }
    // Sorting keeps the order of those of one revision.
    list.marks = marks.compactMap { mark in mark }.enumerated()
      .sorted { one, other in (one.element.revision, one.offset) < (other.element.revision, other.offset) }
      .map(\.element)
    for index in list.flaws.indices where list.flaws[index].lineCount > 1 {
      list.flaws[index].message +=
        "; lines up to \(list.flaws[index].line + list.flaws[index].lineCount - 1) are no marks, either"
    }
    return list
  }

  /// Adds lines, and returns once they are there to stay, whoever cleans the file meanwhile.
  ///
  /// ``removeFlaws()`` makes its temporary file before it reads this one. So where there is none after the lines were added, each
  /// cleaning from then on reads them if the file has them, and those before have put their file in its place already: what the
  /// file has then stays, and what it has not is added again.
  private func write(_ lines: [UInt8]) throws(LogError) {
    var wasAdded = false
    do throws(FileSystemError) {
      for _ in 0..<Self.attemptLimit {
        let isCleaned = try fileSystem.status(of: temporaryPath) != nil
        if !isCleaned, wasAdded {
          let bytes = try fileSystem.contents(of: path, limitBytes: limitBytes)
          if bytes.suffix(lines.count).elementsEqual(lines) || Self.holds(bytes, lines) {
            // The name may be that of a file that was put there a moment ago.
            return try fileSystem.syncDirectory(log)
          }
        }
        if isCleaned {
          // Takes about as long as a step of the cleaning.
          try fileSystem.syncDirectory(log)
        } else {
          try append(lines)
          wasAdded = true
        }
      }
    } catch {
      throw failure(error, "the mark cannot be written")
    }
    throw beingCleaned(
      wasAdded ? "; whether the mark was written shows when the marks are read" : "; the mark was not written")
  }

  /// The error of those who find the temporary file.
  func beingCleaned(_ consequence: String = "", underlying: FileSystemError? = nil) -> LogError {
    LogError(
      .locked, "somebody else is at work on the marks, or was cut off at it" + consequence, path: temporaryPath,
      advice: "When nobody is, remove that file and do it again.", underlying: underlying)
  }

  /// Whether the lines stand in the file, somewhere before others.
  private static func holds(_ bytes: [UInt8], _ lines: [UInt8]) -> Bool {
    let all = Set(bytes.split(separator: UInt8(ascii: "\n")))
    return lines.split(separator: UInt8(ascii: "\n")).allSatisfy(all.contains)
  }

  /// Adds lines to the file that there is.
  private func append(_ lines: [UInt8]) throws(FileSystemError) {
    let isNew = try fileSystem.status(of: path) == nil
    let file = try fileSystem.open(path, for: isNew ? .create : .append)
    defer { file.close() }
    // Behind a line that a crash has cut a new one begins.
    let size = try file.size()
    let isCut = size > 0 ? try file.bytes(at: size - 1, count: 1) != [UInt8(ascii: "\n")] : false
    let added = isCut ? [UInt8(ascii: "\n")] + lines : lines
    guard size + added.count <= limitBytes else {
      throw FileSystemError(code: .fileTooLarge, operation: "append", path: path)
    }
    try file.append(added)
    try file.sync(.full)
  }

  func failure(_ error: FileSystemError, _ what: String) -> LogError {
    let code: LogError.Code =
      switch error.code {
      case .noSpace: .noSpace
      // Our limit; that of the system, which has a number, is one on all files.
      case .fileTooLarge where error.errorNumber == 0: .beyondLimit
      default: .inputOutput
      }
    let advice =
      code == .beyondLimit
      ? "With \(limitBytes) bytes the file is full: put it elsewhere, and a new one is begun. " : ""
    return LogError(
      code, "\(what) (\(error))", path: path, advice: advice + "The records do not depend on the marks.",
      underlying: error)
  }
}

/// The marks of a log, and what was found beside them.
public struct MarkList: Sendable {
  /// A line that is no mark, and those directly behind it that are none, either.
  public struct Flaw: Hashable, Sendable {
    /// The line, counted from 1.
    public let line: Int
    /// How many lines: 1, and those behind it.
    public internal(set) var lineCount = 1
    /// What is wrong with the first of them.
    public internal(set) var message: String

    init(line: Int, message: String) {
      self.line = line
      self.message = message
    }
  }

  /// The marks, by their revisions, of one revision in the order in which they were made.
  public internal(set) var marks: [Mark]
  /// The lines that cannot be read: cut by a crash, or changed. They are passed over.
  public internal(set) var flaws: [Flaw] = []

  /// Makes a list of marks, in the order in which they are given.
  public init(_ marks: [Mark] = []) { self.marks = marks }

  /// How many lines cannot be read.
  ///
  /// - Complexity: O(number of flaws).
  public var flawedLineCount: Int { flaws.reduce(0) { sum, flaw in sum + flaw.lineCount } }

  /// Takes a line that is no mark.
  mutating func note(_ message: String, ofLine line: Int) {
    // A file of line feeds would have as many flaws as bytes.
    if let last = flaws.last, last.line + last.lineCount == line {
      flaws[flaws.count - 1].lineCount += 1
    } else {
      flaws.append(Flaw(line: line, message: message))
    }
  }

  /// The mark with a name.
  ///
  /// - Complexity: O(number of marks).
  public subscript(name: String) -> Mark? { marks.first { mark in mark.name == name } }

  /// The marks of a revision.
  ///
  /// - Complexity: O(number of marks).
  public func marks(at revision: Int) -> [Mark] { marks.filter { mark in mark.revision == revision } }
}

extension History {
  /// The marks beside the log; `nil` for a single segment file.
  public var marks: MarkStore? { reader.isSingleSegment ? nil : MarkStore(log: path, fileSystem: fileSystem) }
}
