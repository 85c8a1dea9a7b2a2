import JSONCoding
import Platform

/// The progress of a long job on standard error: the amount done, the rate, and the remaining time.
///
/// It appears 0.7 s after the beginning of the job. On a terminal it is one line that is updated in place and erased at the
/// end. A file or a pipe gets a line every five seconds, as JSON if the command prints JSON.
final class ProgressLine: Sendable {
  private struct Contents: Sendable {
    var lastShown: Duration?
    var isShown = false
  }

  /// A job shorter than this needs no progress. The rest of a second is for the start of the process, and for work
  /// between two reports, such as loading a snapshot.
  private static let patience = Duration.milliseconds(700)
  /// The eye does not follow more than ten updates a second.
  private static let terminalInterval = Duration.milliseconds(100)
  /// Frequent enough to show that the job runs, and rare enough for a file that keeps every line.
  private static let pipeInterval = Duration.seconds(5)

  private let printer: Printer
  private let isEnabled: Bool
  /// Whether a pager has the terminal now.
  private let isPaging: @Sendable () -> Bool
  private let isJSON: Bool
  private let label: String
  private let unit: Unit
  private let uptime: @Sendable () -> Duration
  private let start: Duration
  private let contents = Locked(Contents())

  /// The counted unit.
  enum Unit: String, Sendable { case bytes, actions, logs }

  init(
    _ label: String, unit: Unit, printer: Printer, isQuiet: Bool, isJSON: Bool = false,
    isPaging: @escaping @Sendable () -> Bool = { false }, uptime: @escaping @Sendable () -> Duration
  ) {
    self.printer = printer
    self.isEnabled = !isQuiet
    self.isPaging = isPaging
    self.isJSON = isJSON
    self.label = label
    self.unit = unit
    self.uptime = uptime
    self.start = uptime()
  }

  /// Reports the amount done.
  func update(done: Int, total: Int?) throws(ToolStreamError) {
    guard isEnabled, !isPaging() else { return }
    let now = uptime()
    let interval = printer.isTerminal ? Self.terminalInterval : Self.pipeInterval
    let isDue = contents.withLock { contents -> Bool in
      guard now - start >= Self.patience else { return false }
      if let last = contents.lastShown, now - last < interval { return false }
      contents.lastShown = now
      contents.isShown = printer.isTerminal
      return true
    }
    guard isDue else { return }
    let text = text(done: done, total: total, elapsed: now - start)
    if printer.isTerminal {
      try printer.write(Array("\r\u{1B}[K\(text)".utf8))
    } else {
      try printer.line(isJSON ? "\(json(done: done, total: total))" : text)
      try printer.flush()
    }
  }

  /// Erases the line.
  func finish() throws(ToolStreamError) {
    let wasShown = contents.withLock { contents -> Bool in
      defer { contents.isShown = false }
      return contents.isShown
    }
    if wasShown { try printer.write(Array("\r\u{1B}[K".utf8)) }
  }

  private func json(done: Int, total: Int?) -> JSONValue {
    var progress: JSONObject = ["job": .string(label), "unit": .string(unit.rawValue), "done": .integer(done)]
    progress["total"] = total.map(JSONValue.integer)
    return ["progress": .object(progress)]
  }

  private func text(done: Int, total: Int?, elapsed: Duration) -> String {
    let seconds = elapsed / .seconds(1)
    let rate = Double(done) / seconds
    var text = "\(label) \(amount(Double(done)))"
    if let total, total > 0 {
      text = "\(label) \(min(100, Int(100 * Double(done) / Double(total))))%  \(amount(Double(done)))"
    }
    text += "  \(amount(rate))/s"
    if let total, total > done, rate > 0 {
      text += "  \(HumanText.duration(.seconds(Double(total - done) / rate))) left"
    }
    return text
  }

  private func amount(_ value: Double) -> String {
    switch unit {
    case .bytes: HumanText.bytes(Int(value))
    case .actions, .logs: "\(HumanText.count(Int(value))) \(unit.rawValue)"
    }
  }
}
