import JSONCoding
import Platform

/// The progress of a long job on standard error: the amount done, the rate, and the remaining time.
///
/// It appears 0.7 s after the beginning of the job. On a terminal it is one line that is updated in place and erased at the
/// end. While the job reports nothing, such as when it loads a snapshot or compares two states, the line counts the seconds. A file
/// or a pipe gets a line every five seconds, as JSON if the command prints JSON.
package final class ProgressLine: Sendable {
  private struct Contents: Sendable {
    var lastShown: Duration?
    var isShown = false
    var report: Report?
    /// The time at which the line was erased, or would have been; `nil` before that.
    var finished: Duration?
    /// Cancels the next tick; `nil` if there is none.
    var cancelTick: (@Sendable () -> Void)?
    var tickCount = 0
  }

  private struct Report: Sendable {
    var done: Int
    var total: Int?
    /// The share that is done, if the total is unknown.
    var share: Double?

    var fraction: Double? {
      guard let total, total > 0 else { return share }
      return Double(done) / Double(total)
    }
  }

  /// Calls a closure after a delay, on another thread, and returns a closure that cancels the call.
  package typealias Schedule = @Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void

  /// A job shorter than this needs no progress. The rest of a second is for the start of the process, and for work
  /// between two reports, such as loading a snapshot.
  private static let patience = Duration.milliseconds(700)
  /// The eye does not follow more than ten updates a second.
  private static let terminalInterval = Duration.milliseconds(100)
  /// Frequent enough to show that the job runs, and rare enough for a file that keeps every line.
  private static let pipeInterval = Duration.seconds(5)
  /// The longest time without a change on a terminal.
  private static let tickInterval = Duration.seconds(1)
  /// Parts of a job follow each other within this time.
  private static let longestGap = Duration.milliseconds(300)
  /// The rate of a shorter time is not known.
  private static let measurableTime = Duration.milliseconds(100)
  /// The rate and the remaining time are not known from a smaller share.
  private static let measurableShare = 0.01

  private let printer: Printer
  private let isEnabled: Bool
  private let isJSON: Bool
  private let label: String
  private let unit: Unit
  private let uptime: @Sendable () -> Duration
  private let schedule: Schedule?
  private let start: Duration
  /// The time at which the user began to wait: ``start``, or that of the part of the job before this one.
  private let waitingSince: Duration
  /// The line that is or was shown last on the terminal.
  private let shown: Locked<ProgressLine?>
  private let contents = Locked(Contents())

  enum Unit: String, Sendable { case bytes, actions, logs }

  /// Begins a job, or the next part of one. If the line of the previous part has just been erased, the user has been waiting since its
  /// beginning. All lines of a command share `shown`, the line that is shown last on the terminal.
  init(
    _ label: String, unit: Unit, printer: Printer, isQuiet: Bool, isJSON: Bool = false,
    uptime: @escaping @Sendable () -> Duration,
    schedule: Schedule? = nil, after previous: ProgressLine? = nil,
    shown: Locked<ProgressLine?> = Locked(nil)
  ) {
    self.printer = printer
    self.isEnabled = !isQuiet
    self.isJSON = isJSON
    self.label = label
    self.unit = unit
    self.uptime = uptime
    self.schedule = isQuiet || !printer.isTerminal ? nil : schedule
    let now = uptime()
    start = now
    waitingSince = previous?.waitingSince(at: now) ?? now
    self.shown = shown
    let delay = max(.zero, Self.patience - (now - waitingSince))
    contents.withLock { contents in scheduleTick(after: delay, &contents) }
  }

  func update(done: Int, total: Int?, share: Double? = nil) throws(ToolStreamError) {
    guard isEnabled else { return }
    try replaceOther()
    let now = uptime()
    let interval = printer.isTerminal ? Self.terminalInterval : Self.pipeInterval
    let report = Report(done: done, total: total, share: share)
    try contents.withLock { (contents) throws(ToolStreamError) in
      contents.report = report
      contents.finished = nil
      guard now - waitingSince >= Self.patience else { return }
      if let last = contents.lastShown, now - last < interval { return }
      if printer.isTerminal {
        // Ticks pause while there are reports.
        scheduleTick(after: Self.tickInterval, &contents)
        try show(text(report, elapsed: now - start), at: now, &contents)
      } else {
        contents.lastShown = now
        if isJSON { try printer.json(json(report)) } else { try printer.line(text(report, elapsed: now - start)) }
        try printer.flush()
      }
    }
  }

  /// Erases the line. It appears again with the next report.
  func finish() throws(ToolStreamError) {
    try contents.withLock { (contents) throws(ToolStreamError) in
      contents.cancelTick?()
      contents.cancelTick = nil
      contents.finished = contents.finished ?? uptime()
      try erase(&contents)
    }
  }

  private func erase(_ contents: inout Contents) throws(ToolStreamError) {
    guard contents.isShown else { return }
    contents.isShown = false
    try printer.write(Array("\r\u{1B}[K".utf8))
  }

  /// Erases the line for a message. A job that is not finished shows it again after a second, or with its next report.
  func makeRoom() throws(ToolStreamError) {
    try contents.withLock { (contents) throws(ToolStreamError) in
      // No tick may come between the erased line and the message.
      if contents.cancelTick != nil { scheduleTick(after: Self.tickInterval, &contents) }
      try erase(&contents)
    }
  }

  /// Erases the line of another job, if that is the last one that was shown.
  private func replaceOther() throws(ToolStreamError) {
    let other = shown.withLock { shown -> ProgressLine? in
      guard shown !== self else { return nil }
      defer { shown = self }
      return shown
    }
    try other?.finish()
  }

  private func waitingSince(at now: Duration) -> Duration? {
    let finished = contents.withLock { contents in contents.finished }
    return finished.flatMap { finished in now - finished <= Self.longestGap ? waitingSince : nil }
  }

  /// Shows a text in place of the one before. The lock is held, so that nothing is written after the line was erased.
  private func show(_ text: String, at now: Duration, _ contents: inout Contents) throws(ToolStreamError) {
    contents.lastShown = now
    contents.isShown = true
    try printer.write(Array("\r\u{1B}[K\(text)".utf8))
  }

  private func scheduleTick(after delay: Duration, _ contents: inout Contents) {
    guard let schedule else { return }
    contents.cancelTick?()
    contents.tickCount += 1
    contents.cancelTick = schedule(delay) { [weak self, number = contents.tickCount] in self?.tick(number) }
  }

  private func tick(_ number: Int) {
    let now = uptime()
    contents.withLock { contents in
      // A tick that had begun when the line was erased, or when another one was scheduled, comes too late.
      guard contents.cancelTick != nil, contents.tickCount == number else { return }
      scheduleTick(after: Self.tickInterval, &contents)
      var text = contents.report.map { report in amount(report) } ?? label
      let seconds = Int((now - start) / .seconds(1))
      if seconds > 0 { text += "  \(seconds) s" }
      // A closed terminal is noticed when the result is printed.
      do { try show(text, at: now, &contents) } catch {}
    }
  }

  private func json(_ report: Report) -> JSONValue {
    var progress: JSONObject = ["job": .string(label), "unit": .string(unit.rawValue), "done": .integer(report.done)]
    progress["total"] = report.total.map(JSONValue.integer)
    return ["progress": .object(progress)]
  }

  private func text(_ report: Report, elapsed: Duration) -> String {
    // Until then, most of the time was spent on loading a snapshot or starting a thread.
    guard elapsed >= Self.measurableTime, report.fraction ?? 1 >= Self.measurableShare else { return amount(report) }
    let seconds = elapsed / .seconds(1)
    var text = amount(report) + "  \(amount(Double(report.done) / seconds))/s"
    if let fraction = report.fraction, fraction < 1 {
      text += "  \(HumanText.duration(.seconds(seconds * (1 - fraction) / fraction))) left"
    }
    return text
  }

  private func amount(_ report: Report) -> String {
    let percent = report.fraction.map { fraction in "\(Int(100 * min(1, fraction)))%  " } ?? ""
    return "\(label) \(percent)\(amount(Double(report.done)))"
  }

  private func amount(_ value: Double) -> String {
    switch unit {
    case .bytes: HumanText.bytes(Int(value))
    case .actions, .logs: "\(HumanText.count(Int(value))) \(unit.rawValue)"
    }
  }
}
