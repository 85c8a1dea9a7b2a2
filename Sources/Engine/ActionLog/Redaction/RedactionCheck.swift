/// Compares the redacted lines of a log with the `@redact` records that name them.
///
/// The record alone vouches for the values that a redaction put in place of others; the commitment of the line, which the parser has
/// checked, vouches for the rest.
struct RedactionCheck {
  /// A redacted line.
  private struct Line {
    /// The number of the record that the line names.
    var by: Int?
    var digest: String
    var place: LogPlace
    var revision: Int
  }

  /// The entry of the last record that names a line.
  private struct Entry {
    var by: Int
    var digest: String
    var place: LogPlace
    var revision: Int
  }

  private var lines: [Int: Line] = [:]
  private var entries: [Int: Entry] = [:]
  /// The number of the next line.
  private var index: Int
  private let firstIndex: Int
  /// The last `@redact` record, and whether a line follows it.
  private var last: (index: Int, place: LogPlace)?

  /// Creates a check of a log whose first line has a number.
  init(firstIndex: Int) {
    index = firstIndex
    self.firstIndex = firstIndex
  }

  /// Counts a line.
  mutating func countLine() { index += 1 }

  /// Keeps what a valid line states about redactions. The line was counted.
  ///
  /// - Returns: A problem if it is a malformed `@redact` record.
  mutating func inspect(
    _ parsed: ParsedLine, _ bytes: UnsafeRawBufferPointer, _ place: @autoclosure () -> LogPlace
  ) -> LogProblem? {
    if parsed.isRedacted { keep(parsed, Array(bytes), place()) }
    guard parsed.isControl else { return nil }
    let line = Array(bytes)
    guard parsed.controlType(in: line[...]) == .redact else { return nil }
    let place = place()
    last = (index - 1, place)
    guard let record = RedactRecord(data: line[parsed.data]) else {
      return LogProblem(
        .invalidMember, "the @redact record does not name its lines as the format requires", path: place.path,
        line: place.line, byteOffset: place.byteOffset, revision: parsed.revision)
    }
    for line in record.lines {
      entries[line.index] = Entry(by: index - 1, digest: line.digest, place: place, revision: parsed.revision)
    }
    return nil
  }

  private mutating func keep(_ parsed: ParsedLine, _ line: [UInt8], _ place: LogPlace) {
    var by: Int?
    do throws(LineForm.Fault) {
      if case .redacted(let redaction) = try line.withForm().kind { by = redaction.by }
    } catch {
      // The parser has accepted the form.
    }
    lines[index - 1] = Line(
      by: by, digest: RedactedLine.digest(of: line), place: place, revision: parsed.revision)
  }

  /// Returns the findings.
  ///
  /// - Parameter isIntact: Whether every line of the log is valid. Otherwise the lines' numbers may be wrong, and records may be
  ///   missing.
  /// - Complexity: O(*n* log *n*) for *n* redacted lines.
  func findings(isIntact: Bool) -> (problems: [LogProblem], warnings: [LogProblem]) {
    guard isIntact else { return ([], []) }
    var problems: [LogProblem] = []
    var warnings: [LogProblem] = []
    func problem(_ kind: LogProblem.Kind, _ message: String, _ place: LogPlace, _ revision: Int) -> LogProblem {
      LogProblem(
        kind, message, path: place.path, line: place.line, byteOffset: place.byteOffset, revision: revision)
    }
    for (number, line) in lines.sorted(by: { one, other in one.key < other.key }) {
      guard let entry = entries[number] else {
        problems.append(
          problem(
            .unrecordedRedaction, "line \(number) is redacted, and no @redact record names it", line.place,
            line.revision))
        continue
      }
      // An interrupted redaction of the same line is reported below.
      if line.digest != entry.digest || line.by != entry.by, !isUnfinished(entry) {
        problems.append(
          problem(
            .changedRedaction, "line \(number) is not what the @redact record in line \(entry.by) made of it",
            line.place,
            line.revision))
      }
    }
    var missing: [Int: [Int]] = [:]
    for (number, entry) in entries where number >= firstIndex && lines[number]?.digest != entry.digest {
      if lines[number] == nil || isUnfinished(entry) { missing[entry.by, default: []].append(number) }
    }
    for (by, numbers) in missing.sorted(by: { one, other in one.key < other.key }) {
      guard let first = numbers.min(), let entry = entries[first] else { continue }
      let text = "the @redact record in line \(by) is not carried out in \(numbers.count) lines, first in line \(first)"
      if isUnfinished(entry) {
        warnings.append(
          problem(.unfinishedRedaction, text + ": 'redact --finish' does it", entry.place, entry.revision))
      } else {
        problems.append(problem(.missingRedaction, text, entry.place, entry.revision))
      }
    }
    return (problems, warnings)
  }

  /// Whether the record of an entry is the last line of the log.
  private func isUnfinished(_ entry: Entry) -> Bool { entry.by == index - 1 }
}
