internal import JSONCoding

/// What a verification notices beside what is right and wrong.
struct VerificationWarnings {
  /// Whether a line ends where `HEAD` says, and is the one that it means.
  private(set) var isHeadConfirmed = false

  private let head: LogHead?
  private var lastTime: LogTime?
  private var clockSteps = 0
  private var firstClockStep: LogProblem?
  private var danglingCauses = 0
  private var firstDanglingCause: LogProblem?
  private var unknownTypes: [String: LogProblem] = [:]

  /// How many types and places are kept: a log of noise would hold as many as lines.
  private static let limit = 100

  init(head: LogHead?) {
    self.head = head
  }

  /// Looks at a line that checks by itself.
  mutating func look(
    _ parsed: ParsedLine, _ place: @autoclosure () -> LogPlace, endingAt end: Int, ofSegment first: Int
  ) {
    // Only actions: the header of a log that was salvaged is younger than they are.
    if !parsed.isControl {
      if let lastTime, parsed.time < lastTime {
        clockSteps += 1
        firstClockStep = firstClockStep ?? warning(.clockWentBack, "the clock went back", place(), parsed)
      }
      lastTime = parsed.time
    }
    if let head, head.segment == first, head.bytes == end, head.crc == parsed.crc, head.seq == parsed.seq {
      isHeadConfirmed = true
    }
  }

  /// Looks at the cause that an action names, which is an action before it.
  mutating func checkCause(_ parsed: ParsedLine, _ line: UnsafeRawBufferPointer, _ place: @autoclosure () -> LogPlace) {
    guard let meta = parsed.meta, let cause = Self.cause(UnsafeRawBufferPointer(rebasing: line[meta])),
      cause < 1 || cause >= parsed.seq
    else { return }
    danglingCauses += 1
    firstDanglingCause =
      firstDanglingCause
      ?? warning(.danglingCause, "the cause that it names, \(cause), is no action before it", place(), parsed)
  }

  /// The number in `meta.cause`; `nil` when there is none.
  private static func cause(_ meta: UnsafeRawBufferPointer) -> Int? {
    var start = 0
    // Most remarks name no cause, and need not be parsed.
    while let quote = ByteSearch.first(UInt8(ascii: "\""), in: meta, from: start) {
      if meta[quote...].starts(with: causeName) {
        return causeMember(meta)
      }
      start = quote + 1
    }
    return nil
  }

  private static func causeMember(_ meta: UnsafeRawBufferPointer) -> Int? {
    var cause: Int?
    do throws(JSONError) {
      try JSONTape.forEachMember(of: meta.assumingMemoryBound(to: UInt8.self)) { member in
        if member.isNamed("cause") { cause = member.int() }
      }
    } catch {
      // The line was read before, so that its remarks are an object.
      return nil
    }
    return cause
  }

  private static let causeName = Array(#""cause""#.utf8)

  /// Looks at a control record that checks by itself.
  mutating func checkControlType(_ parsed: ParsedLine, _ bytes: ArraySlice<UInt8>, _ place: LogPlace) {
    guard parsed.controlType(in: bytes) == nil else { return }
    let text = parsed.typeText(in: bytes)
    if unknownTypes[text] == nil, unknownTypes.count < VerificationWarnings.limit {
      unknownTypes[text] = warning(.unknownControlRecord, "the control record '\(text)' is not known", place, parsed)
    }
  }

  private func warning(
    _ kind: LogProblem.Kind, _ message: String, _ place: LogPlace, _ parsed: ParsedLine
  ) -> LogProblem {
    LogProblem(kind, message, path: place.path, line: place.line, byteOffset: place.byteOffset, seq: parsed.seq)
  }

  /// The warnings, one for all steps of the clock, and one for all causes.
  func warnings() -> [LogProblem] {
    var warnings = unknownTypes.sorted { one, other in one.key < other.key }.map(\.value)
    if var step = firstClockStep {
      step.message += clockSteps == 1 ? "" : " \(clockSteps) times, here for the first time"
      warnings.append(step)
    }
    if var cause = firstDanglingCause {
      cause.message += danglingCauses == 1 ? "" : "; so it is \(danglingCauses) times, here for the first time"
      warnings.append(cause)
    }
    return warnings
  }
}
