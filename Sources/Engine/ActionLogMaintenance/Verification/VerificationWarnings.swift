import ActionLog
import EventSourcing
import JSONCoding

struct VerificationWarnings {
  /// Whether the line that `HEAD` refers to exists.
  private(set) var isHeadConfirmed = false

  private let head: LogHead?
  private var lastTime: LogTime?
  /// The warning of a clock that went back before the first action, and that action's time.
  private var first: (time: LogTime, step: LogProblem)?
  private var clockSteps = 0
  private var firstClockStep: LogProblem?
  private var danglingCauses = 0
  private var firstDanglingCause: LogProblem?
  private var unknownTypes: [ExactName: LogProblem] = [:]
  private var misstatedSchemas: [LogProblem] = []

  /// The number of unknown types to keep: a log of noise could have as many as lines.
  private static let limit = 100

  init(head: LogHead?) {
    self.head = head
  }

  mutating func check(
    _ parsed: ParsedLine, _ place: @autoclosure () -> LogPlace, endingAt end: Int, ofSegment first: Int
  ) {
    // Only actions: the header of a salvaged log is younger than its actions.
    if !parsed.isControl {
      if let lastTime {
        if parsed.time < lastTime {
          clockSteps += 1
          firstClockStep =
            firstClockStep ?? LogProblem(.clockWentBack, "the clock went back", at: place(), revision: parsed.revision)
        }
      } else {
        self.first = (
          parsed.time, LogProblem(.clockWentBack, "the clock went back", at: place(), revision: parsed.revision)
        )
      }
      lastTime = parsed.time
    }
    if let head, head.segment == first, head.bytes == end, head.crc == parsed.crc, head.revision == parsed.revision {
      isHeadConfirmed = true
    }
  }

  /// Checks that an action's cause is an earlier action.
  mutating func checkCause(_ parsed: ParsedLine, _ line: UnsafeRawBufferPointer, _ place: @autoclosure () -> LogPlace) {
    guard let meta = parsed.meta, let cause = Self.cause(UnsafeRawBufferPointer(rebasing: line[meta])),
      cause < 1 || cause >= parsed.revision
    else { return }
    danglingCauses += 1
    firstDanglingCause =
      firstDanglingCause
      ?? LogProblem(
        .danglingCause, "its cause, \(cause), is not an earlier action", at: place(), revision: parsed.revision)
  }

  /// Returns the number in `meta.cause`; `nil` if there is none.
  private static func cause(_ meta: UnsafeRawBufferPointer) -> Int? {
    var start = 0
    // Most metadata has no cause and need not be parsed.
    while let quote = ByteSearch.first(UInt8(ascii: "\""), in: meta, from: start) {
      if meta[quote...].starts(with: causeName) {
        // The line was parsed before, so its metadata is an object.
        do throws(JSONError) { return try RecordMeta.cause(in: Array(meta)[...]) } catch { return nil }
      }
      start = quote + 1
    }
    return nil
  }

  private static let causeName = Array(#""cause""#.utf8)

  /// Checks the type of a valid control record.
  mutating func checkControlType(_ parsed: ParsedLine, _ bytes: ArraySlice<UInt8>, _ place: LogPlace) {
    guard parsed.controlType(in: bytes) == nil else { return }
    let text = parsed.typeText(in: bytes)
    if unknownTypes[ExactName(text)] == nil, unknownTypes.count < VerificationWarnings.limit {
      unknownTypes[ExactName(text)] = LogProblem(
        .unknownControlRecord, "unknown control record '\(text)'", at: place, revision: parsed.revision)
    }
  }

  /// Notes an `@open` with a schema that its writer did not use.
  mutating func noteMisstatedSchema(_ stated: Int, used schema: Int, _ place: LogPlace, _ parsed: ParsedLine) {
    guard misstatedSchemas.count < Self.limit else { return }
    misstatedSchemas.append(
      LogProblem(
        .misstatedSchema,
        "the record states schema \(stated), but its writer began the segment for schema \(schema): the actions are read as schema "
          + "\(schema)",
        at: place, revision: parsed.revision, advice: "\(.salvage) makes a log that states it."))
  }

  /// Whether the warnings of a segment that was read ahead have all its unknown types.
  func canAdd(_ part: VerificationWarnings) -> Bool { part.unknownTypes.count < Self.limit }

  /// Adds the warnings of a segment that was read ahead.
  mutating func add(_ part: VerificationWarnings) {
    if let lastTime, let (time, step) = part.first, time < lastTime {
      clockSteps += 1
      firstClockStep = firstClockStep ?? step
    }
    clockSteps += part.clockSteps
    firstClockStep = firstClockStep ?? part.firstClockStep
    first = first ?? part.first
    lastTime = part.lastTime ?? lastTime
    danglingCauses += part.danglingCauses
    firstDanglingCause = firstDanglingCause ?? part.firstDanglingCause
    isHeadConfirmed = isHeadConfirmed || part.isHeadConfirmed
    misstatedSchemas += part.misstatedSchemas.prefix(Self.limit - misstatedSchemas.count)
    // In the order of the lines, because the number of types is limited.
    for (text, problem) in part.unknownTypes.sorted(by: { one, other in one.value.line ?? 0 < other.value.line ?? 0 })
    where unknownTypes[text] == nil && unknownTypes.count < Self.limit { unknownTypes[text] = problem }
  }

  func all() -> [LogProblem] {
    var warnings = unknownTypes.sorted { one, other in one.key < other.key }.map(\.value) + misstatedSchemas
    if var step = firstClockStep {
      step.message += clockSteps == 1 ? "" : " \(clockSteps) times, first here"
      warnings.append(step)
    }
    if var cause = firstDanglingCause {
      cause.message += danglingCauses == 1 ? "" : "; \(danglingCauses) actions have such a cause, this is the first"
      warnings.append(cause)
    }
    return warnings
  }
}
