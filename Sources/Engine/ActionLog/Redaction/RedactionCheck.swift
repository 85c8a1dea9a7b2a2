/// Compares the redacted lines of a log with the `@redact` records that name them.
///
/// The record alone vouches for the values that a redaction put in place of others; the commitment of the line, which the parser has
/// checked, vouches for the rest.
///
/// Records name lines by their numbers. After damage the numbers are uncertain: lines may be missing, or one may look like two. Lines
/// after it are compared by segment, revision and digest instead, and only if no `@redact` record can be missing.
///
/// A lake gets the record and the redacted segments one after the other. There, a line that is not redacted yet is no damage, and neither
/// is one whose record would follow the last line.
struct RedactionCheck {
  /// A redacted line.
  private struct Line {
    /// The number of the record that the line names.
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

  private var lines: [Int: Line] = [:]
  private var entries: [Int: Entry] = [:]
  /// The last redaction of the base that the log has.
  private var base: Entry?
  /// Whether a `@prune` record replaced the base.
  private var isBaseReplaced = false
  /// The numbers of the records, as far as they are certain.
  private var recordNumbers: Set<Int> = []
  /// Whether the log is in a lake.
  var isShipped = false
  /// The number of the next line.
  private var index: Int
  private let firstIndex: Int

  /// The first line whose number is uncertain.
  private var certainEnd = Int.max
  /// The current segment, and whether it had no action yet: only then can it have a `@redact` record.
  private var segment = 0
  private var isBeginning = true
  private var isFirstLine = true
  /// The segments that were read, and those of them with lines that are missing or invalid.
  private var segments: Set<Int> = []
  private var damagedSegments: Set<Int> = []
  private var invalidLines: Set<Int> = []
  /// The last segment at or before whose beginning a `@redact` record may be among the missing or invalid lines; 0 for none. It could name
  /// lines of the segments before.
  private var recordGap = 0

  /// The number of invalid lines to keep: a file of noise could have as many as lines.
  private static let invalidLineLimit = 100_000

  /// Creates a check of a log.
  ///
  /// - Parameter firstIndex: The number of the log's first line; `nil` if it is unknown.
  init(firstIndex: Int?) {
    index = firstIndex ?? 0
    self.firstIndex = firstIndex ?? 0
    if firstIndex == nil { certainEnd = 0 }
  }

  // MARK: Reading

  /// Begins a segment.
  mutating func enterSegment(_ first: Int) {
    segment = first
    segments.insert(first)
    (isBeginning, isFirstLine) = (true, true)
  }

  /// Counts a line.
  mutating func countLine() { index += 1 }

  /// Notes that the counted line is invalid.
  ///
  /// - Parameter isComplete: Whether its checksum fits, so that it is one line.
  mutating func noteInvalidLine(isComplete: Bool) {
    if isComplete, invalidLines.count < RedactionCheck.invalidLineLimit {
      invalidLines.insert(index - 1)
    } else {
      certainEnd = min(certainEnd, index - 1)
    }
    if isBeginning { recordGap = segment }
    damagedSegments.insert(segment)
    isFirstLine = false
  }

  /// Notes that the counted line does not follow the one before it: lines between them are missing.
  mutating func noteGap() {
    certainEnd = min(certainEnd, index - 1)
    if isBeginning { recordGap = segment }
    // Before the first line of a segment, others are missing.
    if !isFirstLine { damagedSegments.insert(segment) }
  }

  /// Notes that the counted line is the beginning of a torn tail, whose records were never acknowledged.
  mutating func noteTornTail() { index -= 1 }

  /// Notes that the rest of the segment cannot be read.
  mutating func noteUnreadableSegment() {
    certainEnd = min(certainEnd, index)
    damagedSegments.insert(segment)
    recordGap = segment
  }

  /// Notes that lines at the end of the log are missing.
  mutating func noteMissingEnd() { recordGap = .max }

  /// Notes a valid line, which was counted.
  mutating func noteLine(isControl: Bool) {
    isFirstLine = false
    if !isControl { isBeginning = false }
  }

  /// Keeps what a valid line states about redactions. The line was counted.
  ///
  /// - Returns: A problem if it is a malformed `@redact` record.
  mutating func inspect(
    _ parsed: ParsedLine, _ bytes: UnsafeRawBufferPointer, _ place: @autoclosure () -> LogPlace
  ) -> LogProblem? {
    if parsed.isRedacted { keep(parsed, Array(bytes), place()) }
    guard parsed.isControl else { return nil }
    let line = Array(bytes)
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
    let by = index - 1
    guard let record = RedactRecord(data: line[parsed.data]) else {
      recordGap = segment
      return LogProblem(
        .invalidMember, "the @redact record does not name its lines as the format requires", path: place.path,
        line: place.line, byteOffset: place.byteOffset, revision: parsed.revision)
    }
    if by < certainEnd { recordNumbers.insert(by) }
    for line in record.lines {
      entries[line.index] = Entry(
        by: by, digest: line.digest, position: Position(segment: line.segment, revision: line.revision), place: place,
        revision: parsed.revision)
    }
    if let target = record.base {
      base = Entry(
        by: by, digest: target.digest, position: Position(segment: 0, revision: 0), place: place,
        revision: parsed.revision)
    }
    return nil
  }

  private mutating func keep(_ parsed: ParsedLine, _ line: [UInt8], _ place: LogPlace) {
    var by: Int?
    do throws(LineForm.Fault) {
      by = try line.withForm().kind.redaction?.by
    } catch {
      // The parser has accepted the form.
    }
    lines[index - 1] = Line(
      by: by, digest: RedactedLine.digest(of: line),
      position: Position(segment: segment, revision: parsed.revision), place: place)
  }

  // MARK: Reading ahead

  /// Adds what the lines of a segment state that was read ahead, without a problem.
  ///
  /// - Parameter part: A check of the segment alone, whose first line has the number 0.
  /// - Complexity: O(number of redacted lines in the segment).
  mutating func add(_ part: RedactionCheck, segment first: Int) {
    let offset = index
    func moved(_ entry: Entry) -> Entry {
      var entry = entry
      entry.by += offset
      return entry
    }
    enterSegment(first)
    for (number, line) in part.lines { lines[offset + number] = line }
    for (number, entry) in part.entries { entries[number] = moved(entry) }
    for number in part.recordNumbers where offset + number < certainEnd { recordNumbers.insert(offset + number) }
    if part.base != nil || part.isBaseReplaced { base = part.base.map(moved) }
    isBaseReplaced = isBaseReplaced || part.isBaseReplaced
    (isBeginning, isFirstLine) = (part.isBeginning, part.isFirstLine)
    index += part.index
  }

  // MARK: Findings

  /// The segments with lines that a record names.
  var namedSegments: Set<Int> { Set(entries.values.map(\.position.segment)) }

  /// The digest of the base that the last record names, if that record is the end of the log.
  var unfinishedBaseDigest: String? { base.flatMap { entry in isUnfinished(entry) ? entry.digest : nil } }

  /// Whether the record of an entry is the last line of the log, or the next shipping carries it out.
  private func isUnfinished(_ entry: Entry) -> Bool { isShipped || entry.by == index - 1 }

  /// Whether a line is as it was before its record. In a lake, a line that states the record and has another digest was changed.
  private func isUnfinished(_ entry: Entry, _ line: Line) -> Bool {
    isUnfinished(entry) && (!isShipped || line.by ?? 0 < entry.by)
  }

  /// Whether the record of a redacted line follows the last line that the lake has.
  private func isUnshipped(_ line: Line) -> Bool { isShipped && line.by ?? 0 >= index }

  /// Returns the findings.
  ///
  /// - Parameter baseDigest: The digest of `base.json`; `nil` if it is missing or cannot be read.
  /// - Complexity: O(*n* log *n*) for *n* redacted lines.
  func findings(baseDigest: String?) -> (problems: [LogProblem], warnings: [LogProblem]) {
    var (problems, warnings) = lineFindings()
    let remedy: MessageText =
      isShipped ? "\(.operation("ship", "LOG", "LAKE")) completes it." : "\(.finishingRedaction) completes it."
    for (entry, text) in missing() + missingBase(baseDigest) {
      let text = "the @redact record in line \(entry.by) is not carried out in \(text)"
      if isUnfinished(entry) {
        warnings.append(problem(.unfinishedRedaction, text, entry.place, entry.revision, advice: remedy))
      } else {
        problems.append(problem(.missingRedaction, text, entry.place, entry.revision))
      }
    }
    return (problems, warnings)
  }

  private func problem(
    _ kind: LogProblem.Kind, _ message: String, _ place: LogPlace, _ revision: Int, advice: MessageText? = nil
  ) -> LogProblem {
    LogProblem(
      kind, message, path: place.path, line: place.line, byteOffset: place.byteOffset, revision: revision,
      advice: advice)
  }

  /// The redacted lines that no record names, or that differ from what it states.
  private func lineFindings() -> (problems: [LogProblem], warnings: [LogProblem]) {
    let byPosition = entriesByPosition()
    var problems: [LogProblem] = []
    var unshipped: (line: Line, count: Int)?
    for (number, line) in lines.sorted(by: { one, other in one.key < other.key }) {
      let isCertain = number < certainEnd
      let candidates = isCertain ? entries[number].map { entry in [entry] } ?? [] : byPosition[line.position] ?? []
      if candidates.contains(where: { entry in isCarriedOut(entry, line) }) { continue }
      // A record that is missing may name the line, unless the line states the number of one that is not.
      let hasRecord = isCertain && line.by.map(recordNumbers.contains) ?? false
      if line.position.segment < recordGap && !hasRecord { continue }
      if isUnshipped(line) {
        unshipped = (unshipped?.line ?? line, (unshipped?.count ?? 0) + 1)
        continue
      }
      // An interrupted redaction of the same line is reported with its record.
      if candidates.contains(where: { entry in isUnfinished(entry, line) }) { continue }
      let name = isCertain ? "line \(number)" : "the line"
      if let entry = candidates.last {
        problems.append(
          problem(
            .changedRedaction, "\(name) is not what the @redact record in line \(entry.by) made of it", line.place,
            line.position.revision))
      } else {
        problems.append(
          problem(
            .unrecordedRedaction, "\(name) is redacted, and no @redact record names it", line.place,
            line.position.revision))
      }
    }
    guard let (line, count) = unshipped else { return (problems, []) }
    let text =
      "the lake does not have the @redact record of \(count == 1 ? "the redacted line" : "\(count) redacted lines"): the next 'ship' "
      + "adds it"
    return (problems, [problem(.unfinishedRedaction, text, line.place, line.position.revision)])
  }

  private func isCarriedOut(_ entry: Entry, _ line: Line) -> Bool {
    // The number of a record after damage is uncertain. The digest covers it in any case.
    line.digest == entry.digest && (line.by == entry.by || !recordNumbers.contains(entry.by))
  }

  private func entriesByPosition() -> [Position: [Entry]] {
    guard certainEnd < .max else { return [:] }
    return Dictionary(grouping: entries.values) { entry in entry.position }
  }

  /// The records whose lines are not redacted, each with its lines.
  private func missing() -> [(entry: Entry, text: String)] {
    var digests: [Int: Set<String>] = [:]
    var positions: Set<Position> = []
    if certainEnd < .max {
      for line in lines.values {
        digests[line.position.segment, default: []].insert(line.digest)
        positions.insert(line.position)
      }
    }
    func isMissing(_ number: Int, _ entry: Entry) -> Bool {
      if number < firstIndex || invalidLines.contains(number) { return false }
      if number < certainEnd {
        guard let line = lines[number] else { return true }
        return line.digest != entry.digest && isUnfinished(entry, line)
      }
      let segment = entry.position.segment
      guard segments.contains(segment), !damagedSegments.contains(segment) else { return false }
      // A line with another digest was reported.
      return !(digests[segment]?.contains(entry.digest) ?? false)
        && (isUnfinished(entry) || !positions.contains(entry.position))
    }
    let numbers = Dictionary(grouping: entries.filter(isMissing).keys) { number in entries[number]?.by ?? 0 }
    return numbers.sorted { one, other in one.key < other.key }.compactMap { _, numbers in
      guard let first = numbers.min(), let entry = entries[first] else { return nil }
      return (entry, numbers.count == 1 ? "line \(first)" : "\(numbers.count) lines, first in line \(first)")
    }
  }

  private func missingBase(_ digest: String?) -> [(entry: Entry, text: String)] {
    // A `@prune` record that is missing may name another base.
    guard let base, let digest, digest != base.digest, recordGap == 0 else { return [] }
    return [(base, "base.json")]
  }
}
