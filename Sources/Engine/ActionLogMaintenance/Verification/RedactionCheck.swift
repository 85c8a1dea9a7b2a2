import ActionLog

/// Compares the redacted lines of a log with the `@redact` records that name them.
///
/// The record alone vouches for the values that a redaction put in place of others; the commitment of the line, which the parser has
/// checked, vouches for the rest.
///
/// A line is found by its digest, which a record states. Lines and entries of records that are left over are compared by segment and
/// revision, because the numbers of lines are uncertain after damage. There, a line is reported only if no `@redact` record can be missing.
///
/// A lake gets the record and the redacted segments one after the other. There, a line that is not redacted yet is no damage, and neither
/// is one whose record would follow the last line.
struct RedactionCheck {
  private struct Line {
    /// The number of the line, and that of the record that the line names.
    var number: Int
    var by: Int?
    var digest: String
    var position: Position
    var place: LogPlace
  }

  /// The entry of the last record that names a line, or the base.
  private struct Entry {
    var by: Int
    var digest: String
    /// The position of the line.
    var position: Position
    /// The place and the revision of the record.
    var place: LogPlace
    var revision: Int
  }

  /// The members of an entry that identify a line after damage, except for its digest.
  private struct Position: Hashable {
    var segment: Int
    var revision: Int
  }

  private var lines: [Line] = []
  private var entries: [Int: Entry] = [:]
  /// The last redaction of the base that the log has.
  private var base: Entry?
  /// Whether a `@prune` record replaced the base.
  private var isBaseReplaced = false
  var isShipped = false
  /// The number of the next line.
  private var index: Int
  private let firstIndex: Int

  /// The first line whose number is uncertain.
  private var certainEnd = Int.max
  /// The current segment, and whether it had no action yet: only then can it have a `@redact` record.
  private var segment = 0
  private var isBeginning = true
  /// The segments that were read, and those of them with lines that are missing or invalid.
  private var segments: Set<Int> = []
  private var damagedSegments: Set<Int> = []
  /// The last segment at or before whose beginning a `@redact` record may be among the missing or invalid lines; 0 for none. It could name
  /// lines of the segments before.
  private var recordGap = 0

  /// Creates a check of a log.
  ///
  /// - Parameter firstIndex: The number of the log's first line; `nil` if it is unknown.
  init(firstIndex: Int?) {
    index = firstIndex ?? 0
    self.firstIndex = firstIndex ?? 0
    if firstIndex == nil { certainEnd = 0 }
  }

  // MARK: Reading

  mutating func enterSegment(_ first: Int) {
    segment = first
    segments.insert(first)
    isBeginning = true
  }

  mutating func countLine() { index += 1 }

  /// Notes that the counted line is invalid or does not follow the one before it, or that the rest of the segment cannot be read.
  ///
  /// - Parameter isInSegment: Whether lines of the segment are concerned, and not only segments before it.
  mutating func noteDamage(isInSegment: Bool) {
    certainEnd = min(certainEnd, index - 1)
    if isBeginning { recordGap = segment }
    if isInSegment { damagedSegments.insert(segment) }
  }

  /// Notes that the counted line is the beginning of a torn tail, whose records were never acknowledged.
  mutating func noteTornTail() { index -= 1 }

  /// Notes that lines at the end of the log are missing.
  mutating func noteMissingEnd() { recordGap = .max }

  /// Notes a valid line, which was counted.
  mutating func noteLine(isControl: Bool) {
    if !isControl { isBeginning = false }
  }

  /// Keeps what a valid line states about redactions. The line was counted.
  ///
  /// - Returns: A problem if it is a malformed `@redact` record.
  mutating func inspect(
    _ parsed: ParsedLine, _ bytes: UnsafeRawBufferPointer, _ place: @autoclosure () -> LogPlace
  ) -> LogProblem? {
    let line = Array(bytes)
    if parsed.isRedacted {
      let redaction = line.form?.kind.redaction
      lines.append(
        Line(
          number: index - 1, by: redaction?.by, digest: RedactedLine.digest(of: line),
          position: Position(segment: segment, revision: parsed.revision), place: place()))
    }
    switch parsed.controlType(in: line[...]) {
    case .redact: break
    case .prune:
      // It names another base.
      base = nil
      isBaseReplaced = true
      return nil
    default: return nil
    }
    let place = place()
    guard let record = RedactRecord(data: line[parsed.data]) else {
      noteDamage(isInSegment: false)
      return LogProblem(
        .invalidMember, "the @redact record does not name its lines as the format requires", at: place,
        revision: parsed.revision)
    }
    func entry(_ digest: String, segment: Int, revision: Int) -> Entry {
      Entry(
        by: index - 1, digest: digest, position: Position(segment: segment, revision: revision), place: place,
        revision: parsed.revision)
    }
    for line in record.lines {
      entries[line.index] = entry(line.digest, segment: line.segment, revision: line.revision)
    }
    if let target = record.base { base = entry(target.digest, segment: 0, revision: 0) }
    return nil
  }

  /// Adds what the lines of a segment state that was read ahead, without a problem.
  mutating func add(_ part: RedactionCheck, segment first: Int) {
    let offset = index
    func moved(_ entry: Entry) -> Entry {
      var entry = entry
      entry.by += offset
      return entry
    }
    enterSegment(first)
    for var line in part.lines {
      line.number += offset
      lines.append(line)
    }
    for (number, entry) in part.entries { entries[number] = moved(entry) }
    if part.base != nil || part.isBaseReplaced { base = part.base.map(moved) }
    isBaseReplaced = isBaseReplaced || part.isBaseReplaced
    isBeginning = part.isBeginning
    index += part.index
  }

  // MARK: Findings

  /// The segments with lines that a record names.
  var namedSegments: Set<Int> { Set(entries.values.map(\.position.segment)) }

  /// The digest of the base that the last record names, if that record is the end of the log.
  var unfinishedBaseDigest: String? { base.flatMap { entry in isUnfinished(entry) ? entry.digest : nil } }

  /// Whether the record of an entry is the last line of the log, or the next shipping carries it out.
  private func isUnfinished(_ entry: Entry) -> Bool { isShipped || entry.by == index - 1 }

  /// Returns the findings.
  ///
  /// - Parameter baseDigest: The digest of `base.json`; `nil` if it is missing or cannot be read.
  func findings(baseDigest: String?) -> (problems: [LogProblem], warnings: [LogProblem]) {
    var (problems, warnings, missing) = lineFindings()
    // A `@prune` record that is missing may name another base.
    if let base, let baseDigest, baseDigest != base.digest, recordGap == 0 { missing.append((base, "base.json")) }
    let remedy: MessageText =
      isShipped ? "\(.operation("ship", "LOG", "LAKE")) completes it." : "\(.finishingRedaction) completes it."
    for (entry, text) in missing {
      let text = "the @redact record in line \(entry.by) is not carried out in \(text)"
      if isUnfinished(entry) {
        warnings.append(
          LogProblem(.unfinishedRedaction, text, at: entry.place, revision: entry.revision, advice: remedy))
      } else {
        problems.append(LogProblem(.missingRedaction, text, at: entry.place, revision: entry.revision))
      }
    }
    return (problems, warnings)
  }

  /// The redacted lines that no record names or that differ from what it states, and the records whose lines are not redacted.
  private func lineFindings() -> (
    problems: [LogProblem], warnings: [LogProblem], missing: [(entry: Entry, text: String)]
  ) {
    var (wrong, open) = unmatched()
    var problems: [LogProblem] = []
    var unshipped: [Line] = []
    for line in lines where wrong.remove(line.number) != nil {
      let number = open[line.position]?.first
      let entry = number.flatMap { number in entries[number] }
      // A record that is missing may name the line, unless the line states the number of one before the damage.
      let hasRecord = line.number < certainEnd && line.by ?? .max < min(certainEnd, index)
      let isExplained = line.position.segment < recordGap && !hasRecord
      // The record of a redacted line may follow the last line that the lake has.
      let isUnshipped = isShipped && line.by ?? 0 >= index
      // An interrupted redaction of the same line is reported with its record. In a lake, a line that states the record was changed.
      if let entry, !isExplained, !isUnshipped, isUnfinished(entry), !isShipped || line.by ?? 0 < entry.by { continue }
      if number != nil { open[line.position]?.removeFirst() }
      if isExplained { continue }
      if isUnshipped {
        unshipped.append(line)
        continue
      }
      let name = line.number < certainEnd ? "line \(line.number)" : "the line"
      problems.append(
        entry.map { entry in
          LogProblem(
            .changedRedaction, "\(name) is not what the @redact record in line \(entry.by) made of it", at: line.place,
            revision: line.position.revision)
        }
          ?? LogProblem(
            .unrecordedRedaction, "\(name) is redacted, and no @redact record names it", at: line.place,
            revision: line.position.revision))
    }
    var warnings: [LogProblem] = []
    if let first = unshipped.first {
      let text =
        "the lake does not have the @redact record of \(unshipped.count == 1 ? "the redacted line" : "\(unshipped.count) redacted lines"): "
        + "the next 'ship' adds it"
      warnings.append(
        LogProblem(.unfinishedRedaction, text, at: first.place, revision: first.position.revision))
    }
    return (problems, warnings, missing(open.values.joined()))
  }

  /// Compares lines and entries by their digests.
  ///
  /// - Returns: The numbers of the lines that no entry states, and those of the entries whose lines were not found, by position.
  private func unmatched() -> (lines: Set<Int>, entries: [Position: ArraySlice<Int>]) {
    var numbers: [String: Int] = [:]
    for (number, entry) in entries { numbers[entry.digest] = number }
    var wrong: Set<Int> = []
    var found: Set<Int> = []
    for line in lines {
      // The number of a record after damage is uncertain. The digest covers it in any case.
      if let number = numbers[line.digest], let entry = entries[number],
        line.by == entry.by || entry.by >= certainEnd
      {
        found.insert(number)
      } else {
        wrong.insert(line.number)
      }
    }
    let open = entries.keys.filter { number in number >= firstIndex && !found.contains(number) }.sorted()
    return (
      wrong,
      Dictionary(grouping: open) { number in entries[number]?.position ?? Position(segment: 0, revision: 0) }
        .mapValues { numbers in numbers[...] }
    )
  }

  /// The records whose lines are not redacted, each with its lines, unless the lines may be among those that are damaged.
  private func missing(_ numbers: some Sequence<Int>) -> [(entry: Entry, text: String)] {
    let certain = numbers.filter { number in
      guard number >= certainEnd, let segment = entries[number]?.position.segment else { return true }
      return segments.contains(segment) && !damagedSegments.contains(segment)
    }
    return Dictionary(grouping: certain) { number in entries[number]?.by ?? 0 }
      .sorted { one, other in one.key < other.key }.compactMap { _, numbers in
        guard let first = numbers.min(), let entry = entries[first] else { return nil }
        return (entry, numbers.count == 1 ? "line \(first)" : "\(numbers.count) lines, first in line \(first)")
      }
  }
}
