public import ActionLog

/// The marks beside a log, in its `marks.jsonl`.
///
/// The file is only ever appended to, one whole line at a time, and each line checks by itself. So a crash costs at most the mark
/// that was being made, and marks can be made while a writer is at work on the log, whose lock they do not need. The log does not
/// depend on them: `verify` and recovery pass over the file, `backup` copies it.
public struct MarkStore: Sendable {
  /// The file.
  public let path: String

  private let log: String
  private let fileSystem: any LogFileSystem

  /// Thousands of marks with remarks of the greatest length.
  private static let limitBytes = 64 << 20

  /// The marks of a log.
  ///
  /// - Parameters:
  ///   - log: The path of the log's directory.
  ///   - fileSystem: Where the log lies.
  public init(log: String, fileSystem: any LogFileSystem = POSIXFileSystem()) {
    self.log = log
    self.path = log + "/" + LogFormat.marksName
    self.fileSystem = fileSystem
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
      bytes = try fileSystem.contents(of: path, limitBytes: Self.limitBytes)
    } catch {
      throw failure(error, "the marks cannot be read")
    }
    return Self.list(bytes)
  }

  /// Adds a mark, and makes it durable.
  ///
  /// - Throws: ``TimeTravelError/Code/markExists`` when there is one of that name; `LogError` with code `noSpace`, `inputOutput`
  ///   when it cannot be written: what the file held before is as it was.
  /// - Complexity: O(length of the file).
  public func add(_ mark: Mark) throws {
    if let other = try read()[mark.name] {
      throw TimeTravelError(
        .markExists,
        "there is a mark '\(mark.name)' already, at revision \(other.revision): "
          + "take it away first, or choose another name")
    }
    try append(MarkLine.bytes(of: mark, isRemoved: false, time: mark.time))
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
    try append(MarkLine.bytes(of: mark, isRemoved: true, time: time))
    return mark
  }
}

extension MarkStore {
  private static func list(_ bytes: [UInt8]) -> MarkList {
    var list = MarkList()
    var number = 0
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { index in index + 1 } ?? rest.endIndex
      number += 1
      do throws(TimeTravelError) {
        switch try MarkLine(parsing: Array(rest[..<end])) {
        case .made(let mark):
          list.marks.removeAll { other in other.name == mark.name }
          list.marks.append(mark)
        case .removed(let name):
          list.marks.removeAll { mark in mark.name == name }
        }
      } catch {
        list.flaws.append(MarkList.Flaw(line: number, message: error.message))
      }
      rest = rest[end...]
    }
    // Sorting keeps the order of those of one revision.
    list.marks = list.marks.enumerated()
      .sorted { one, other in (one.element.revision, one.offset) < (other.element.revision, other.offset) }
      .map(\.element)
    return list
  }

  private func append(_ line: [UInt8]) throws(LogError) {
    do throws(FileSystemError) {
      let isNew = try fileSystem.status(of: path) == nil
      let file = try fileSystem.open(path, for: isNew ? .create : .append)
      defer { file.close() }
      // Behind a line that a crash has cut a new one begins; nothing is ever taken off.
      let size = try file.size()
      let isCut = size > 0 ? try file.bytes(at: size - 1, count: 1) != [UInt8(ascii: "\n")] : false
      try file.append(isCut ? [UInt8(ascii: "\n")] + line : line)
      try file.synchronize(.full)
      if isNew { try fileSystem.synchronizeDirectory(log) }
    } catch {
      throw failure(error, "the mark cannot be written")
    }
  }

  private func failure(_ error: FileSystemError, _ what: String) -> LogError {
    let code: LogError.Code =
      switch error.code {
      case .noSpace: .noSpace
      case .fileTooLarge: .beyondLimit
      default: .inputOutput
      }
    return LogError(
      code, what, path: path, advice: "The log itself is not affected.", underlying: error)
  }
}
