import Locking

/// One line on standard error that says how far a long job is, how fast, and how long it will take.
///
/// It appears only on a terminal and only when the job has taken a second; it wipes itself at the end.
final class ProgressLine: Sendable {
  private struct Contents: Sendable {
    var lastShown: Duration?
    var isShown = false
  }

  /// A job shorter than this needs no progress.
  private static let patience = Duration.seconds(1)
  /// Ten times a second is as much as an eye follows.
  private static let interval = Duration.milliseconds(100)

  private let printer: Printer
  private let isEnabled: Bool
  private let label: String
  private let unit: Unit
  private let uptime: @Sendable () -> Duration
  private let start: Duration
  private let contents = Locked(Contents())

  /// What is counted.
  enum Unit: Sendable { case bytes, actions }

  init(
    _ label: String, unit: Unit, printer: Printer, isQuiet: Bool, uptime: @escaping @Sendable () -> Duration
  ) {
    self.printer = printer
    self.isEnabled = printer.isTerminal && !isQuiet
    self.label = label
    self.unit = unit
    self.uptime = uptime
    self.start = uptime()
  }

  /// Says how far the job is.
  func update(done: Int, total: Int?) throws(ToolStreamError) {
    guard isEnabled else { return }
    let now = uptime()
    let isDue = contents.withLock { contents -> Bool in
      guard now - start >= Self.patience else { return false }
      if let last = contents.lastShown, now - last < Self.interval { return false }
      contents.lastShown = now
      contents.isShown = true
      return true
    }
    guard isDue else { return }
    try printer.write(Array("\r\u{1B}[K\(text(done: done, total: total, elapsed: now - start))".utf8))
  }

  /// Wipes the line.
  func finish() throws(ToolStreamError) {
    let wasShown = contents.withLock { contents -> Bool in
      defer { contents.isShown = false }
      return contents.isShown
    }
    if wasShown { try printer.write(Array("\r\u{1B}[K".utf8)) }
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
    case .actions: "\(HumanText.count(Int(value))) actions"
    }
  }
}
