public import ActionLog
public import EventSourcing

/// The marks of a log, in its `marks.jsonl`.
///
/// Each change appends one complete line with its own checksum. So a crash costs at most the mark that was being written, and
/// marks can be written while a writer holds the lock of the log. The log does not depend on the file: recovery ignores it,
/// `backup` copies it. Lines that are not marks are ignored, and reported.
public struct MarkStore: Sendable {
  /// The path of the file.
  public let path: String

  let log: String
  let fileSystem: any LogFileSystem
  let limitBytes: Int

  /// The number of times that a write checks whether a concurrent cleaning has finished and kept the mark.
  private static let attemptLimit = 16

  /// The file that replaces the other one when it is cleaned. While it exists, no write succeeds.
  var temporaryPath: String { path + LogFormat.newSuffix }

  /// Creates a store for the marks of a log.
  public init(at log: String, fileSystem: any LogFileSystem = POSIXFileSystem()) {
    self.init(at: log, fileSystem: fileSystem, limitBytes: LogFormat.marksLimitBytes)
  }

  package init(at log: String, fileSystem: any LogFileSystem, limitBytes: Int) {
    self.log = log
    self.path = log + "/" + LogFormat.marksName
    self.fileSystem = fileSystem
    self.limitBytes = limitBytes
  }

  /// Reads the marks.
  ///
  /// - Returns: The marks; none if there is no file.
  /// - Throws: `LogError` with code `inputOutput` if the file cannot be read, `beyondLimit` if it is too long.
  public func read() throws(LogError) -> MarkList {
    let bytes: [UInt8]
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) != nil else { return MarkList() }
      bytes = try fileSystem.contents(of: path, limitBytes: limitBytes)
    } catch {
      var failure = failure(error, "the marks cannot be read")
      if failure.code != .beyondLimit {
        failure.advice = .sentences(failure.advice, "Make the file readable, or move it away.")
      }
      throw failure
    }
    return Self.reading(bytes)
  }

  /// Adds a mark durably.
  ///
  /// - Throws: ``TimeTravelError/Code/markExists`` if there is a mark of that name; `LogError` with code `noSpace`,
  ///   `inputOutput` if it cannot be written, `beyondLimit` if the file would become too long: then the file keeps its earlier
  ///   content. `locked` while the file is being cleaned, or after a cleaning was interrupted; the message says whether the
  ///   mark may have been written.
  public func add(_ mark: Mark) throws {
    if let other = try read()[mark.name] {
      throw TimeTravelError(
        .markExists,
        "there already is a mark '\(mark.name)', at revision \(other.revision): "
          + "remove it first, or choose another name")
    }
    try add([mark])
  }

  func add(_ marks: [Mark]) throws(LogError) {
    guard !marks.isEmpty else { return }
    try write(marks.flatMap { mark in MarkLine.bytes(of: mark, isRemoved: false, time: mark.time) })
  }

  /// Removes a mark.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - time: The time of removal.
  /// - Returns: The removed mark.
  /// - Throws: ``TimeTravelError/Code/unknownMark``, with the names that may have been meant; `LogError` as for ``add(_:)``.
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
  /// - Parameter body: Receives each line with its end, and its entry; `nil` if it has none.
  static func reading(
    _ bytes: [UInt8], _ body: (_ line: ArraySlice<UInt8>, _ entry: MarkLine?) -> Void = { _, _ in }
  ) -> MarkList {
    var list = MarkList()
    // In the order of the lines; `nil` for a mark that a later line removed or replaced.
    var marks: [Mark?] = []
    var places: [String: Int] = [:]
    var line = 0
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { index in index + 1 } ?? rest.endIndex
      line += 1
      do throws(TimeTravelError) {
        let entry = try MarkLine(parsing: Array(rest[..<end]))
        switch entry {
        case .made(let mark):
          if let place = places.updateValue(marks.count, forKey: mark.name) { marks[place] = nil }
          marks.append(mark)
        case .removed(let name):
          if let place = places.removeValue(forKey: name) { marks[place] = nil }
        }
        body(rest[..<end], entry)
      } catch {
        list.note(error.message, ofLine: line)
        body(rest[..<end], nil)
      }
      rest = rest[end...]
    }
    // The sort keeps the order of marks of the same revision.
    list.marks = marks.compactMap { mark in mark }.enumerated()
      .sorted { one, other in (one.element.revision, one.offset) < (other.element.revision, other.offset) }
      .map(\.element)
    for index in list.flaws.indices where list.flaws[index].lineCount > 1 {
      list.flaws[index].message +=
        "; lines up to \(list.flaws[index].line + list.flaws[index].lineCount - 1) are not marks, either"
    }
    return list
  }

  /// Appends lines, and returns when they are durable even if another process cleans the file.
  ///
  /// ``eraseRemovedMarks()`` creates its temporary file before it reads this file. If there is no temporary file after the lines
  /// were appended, every later cleaning reads them, and every earlier one has already replaced the file. So lines that are in
  /// the file now stay, and missing lines are appended again.
  private func write(_ lines: [UInt8]) throws(LogError) {
    var wasAdded = false
    do throws(FileSystemError) {
      for _ in 0..<Self.attemptLimit {
        let isCleaned = try fileSystem.status(of: temporaryPath) != nil
        if !isCleaned, wasAdded {
          let bytes = try fileSystem.contents(of: path, limitBytes: limitBytes)
          if bytes.suffix(lines.count).elementsEqual(lines) || Self.holds(bytes, lines) {
            // The file may have been renamed a moment ago.
            return try fileSystem.syncDirectory(log)
          }
        }
        if isCleaned {
          // This takes about as long as a step of the cleaning.
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
      wasAdded ? "; read the marks to see whether the mark was written" : "; the mark was not written")
  }

  /// The error of a process that finds the temporary file.
  func beingCleaned(_ consequence: String = "", underlying: FileSystemError? = nil) -> LogError {
    LogError(
      .locked, "the marks are being cleaned, or a cleaning was interrupted" + consequence, path: temporaryPath,
      advice: "If no cleaning is running, remove that file and try again.", underlying: underlying)
  }

  /// Whether the file contains the lines, perhaps before others.
  private static func holds(_ bytes: [UInt8], _ lines: [UInt8]) -> Bool {
    let all = Set(bytes.split(separator: UInt8(ascii: "\n")))
    return lines.split(separator: UInt8(ascii: "\n")).allSatisfy(all.contains)
  }

  private func append(_ lines: [UInt8]) throws(FileSystemError) {
    let file = try fileSystem.openForAppending(path)
    defer { file.close() }
    try file.append(lines: lines, path: path, limitBytes: limitBytes, .full)
  }

  func failure(_ error: FileSystemError, _ what: String) -> LogError {
    let advice: MessageText? =
      error.storeCode == .beyondLimit
      ? "With \(limitBytes) bytes the file is full: move it away, and the next mark starts a new one." : nil
    return LogError(
      error.storeCode, "\(what) (\(error))", path: path,
      advice: .sentences(advice, "The records do not depend on the marks."),
      underlying: error)
  }
}

/// The marks of a log, and the lines of the file that are not marks.
public struct MarkList: Sendable {
  /// A line that is not a mark, and such lines that directly follow it.
  public struct Flaw: Hashable, Sendable {
    /// The number of the first line, from 1.
    public let line: Int
    /// The number of lines.
    public internal(set) var lineCount = 1
    /// The problem with the first line.
    public internal(set) var message: String
  }

  /// The marks, ordered by revision, then by time of creation.
  public internal(set) var marks: [Mark]
  /// The lines that cannot be read: truncated by a crash, or changed. They are ignored.
  public internal(set) var flaws: [Flaw] = []

  package init(_ marks: [Mark] = []) { self.marks = marks }

  package var flawedLineCount: Int { flaws.reduce(0) { sum, flaw in sum + flaw.lineCount } }

  mutating func note(_ message: String, ofLine line: Int) {
    // Otherwise a file of line feeds would have as many flaws as bytes.
    if let last = flaws.last, last.line + last.lineCount == line {
      flaws[flaws.count - 1].lineCount += 1
    } else {
      flaws.append(Flaw(line: line, message: message))
    }
  }

  /// The mark of a name.
  public subscript(name: String) -> Mark? { marks.first { mark in mark.name == name } }

  /// The marks of a revision.
  public func marks(at revision: Int) -> [Mark] { marks.filter { mark in mark.revision == revision } }
}

extension History {
  /// The marks of the log; `nil` for a single segment file.
  public var marks: MarkStore? { reader.isSingleSegment ? nil : MarkStore(at: path, fileSystem: fileSystem) }
}
