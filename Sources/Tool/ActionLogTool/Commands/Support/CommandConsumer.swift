import ActionLog
import Dispatch
import EventSourcing
import Foundation
import Interchange
import JSONCoding
import Platform
import TerminalUI

struct CommandFailure: Error, CustomStringConvertible {
  let description: String
  /// What to do about it, if that is more specific than what `consume` advises.
  var advice: MessageText?
  var isInterruption = false
}

/// A handler that hands actions to a program.
struct CommandConsumer: Sendable {
  let words: [String]
  let start: @Sendable (ToolCommandLine) throws -> any ToolCommand
  let isEach: Bool
  let timeLimit: Duration?
  let uptime: @Sendable () -> Duration
  let stop: StopRequest
  /// The header of the log if the lines are CloudEvents; otherwise `nil`.
  let eventHeader: LogHeader?
  /// Receives the revision of an action whose answer is slow, once.
  let onSlowAnswer: @Sendable (Int) -> Void
  private let state = Locked(State())
  /// Signaled when the subscription was canceled because of a request to stop.
  private let stopNoted = DispatchSemaphore(value: 0)

  private struct State: Sendable {
    /// The running program; `nil` before the first action and after a failure.
    var command: (any ToolCommand)?
    var handledCount = 0
    /// The reason why the last action was not answered, if that was after a request to stop.
    var unanswered: String?
    var slowRevision: Int?
    var stopTime: ContinuousClock.Instant?
  }

  /// The time that a program has for its answers after a request to stop, and to end after its input.
  private static let endingTime = Duration.seconds(10)
  private static let slowTime = Duration.seconds(10)

  var unanswered: String? { state.withLock { state in state.unanswered } }

  var handledCount: Int { state.withLock { state in state.handledCount } }

  /// Delivers actions, and returns when the program has answered all of them.
  func deliver(_ attempts: [DeliveryAttempt<LogRecord>]) async throws {
    try await BlockingWork.run { [self] in
      do {
        if isEach { try runOnce(attempts[0]) } else { try exchange(attempts) }
      } catch {
        if isStopping(error) {
          let reason = "\((error as? PartialDelivery)?.error ?? error)"
          state.withLock { state in state.unanswered = reason }
        }
        throw error
      }
    }
  }

  /// Whether a failure follows a request to stop.
  ///
  /// A signal from the terminal ends the program as well, perhaps before this process has handled it.
  private func isStopping(_ error: any Error) -> Bool {
    let failure = ((error as? PartialDelivery)?.error ?? error) as? CommandFailure
    guard stop.isRequested || failure?.isInterruption == true else { return false }
    guard stopNoted.wait(timeout: .now() + .milliseconds(500)) == .success else { return false }
    stopNoted.signal()
    return true
  }

  func noteStop() { stopNoted.signal() }

  /// Ends the input of the program, and waits for its end. Blocks.
  ///
  /// - Returns: `nil` if no program is running, or if it had to be ended.
  func finish() -> ToolCommandEnding? {
    let command = state.withLock { state in
      defer { state.command = nil }
      return state.command
    }
    guard let command else { return nil }
    command.closeInput()
    if let ending = command.wait(mayWait: { time in time < Self.endingTime }) { return ending }
    command.terminate()
    return nil
  }

  private func mayWait(_ time: Duration, for revision: Int) -> Bool {
    if let timeLimit, time > timeLimit { return false }
    if time > Self.slowTime {
      let isNews = state.withLock { state in
        defer { state.slowRevision = revision }
        return state.slowRevision != revision
      }
      if isNews { onSlowAnswer(revision) }
    }
    guard stop.isRequested else { return true }
    let stopTime = state.withLock { state in
      let time = state.stopTime ?? .now
      state.stopTime = time
      return time
    }
    return stopTime.duration(to: .now) < Self.endingTime
  }

  private struct OutgoingLine {
    var bytes: [UInt8]
    var revision: Int
    /// The identifier of an event, which may be that of a foreign event.
    var eventID: String?
  }

  private func line(of record: LogRecord) throws -> OutgoingLine {
    guard let eventHeader else { return OutgoingLine(bytes: record.rawLine + [0x0A], revision: record.revision) }
    var export = CloudEventsExport(eventHeader)
    var bytes: [UInt8] = []
    try export.append(record, into: &bytes)
    let id = try JSONTape(parsing: bytes.dropLast()).root["id"]?.string()
    return OutgoingLine(bytes: bytes, revision: record.revision, eventID: id)
  }

  // MARK: Each

  private func runOnce(_ attempt: DeliveryAttempt<LogRecord>) throws {
    let revision = attempt.record.revision
    let variables = [
      "ACTION_LOG_ID": "\(attempt.position.log)/\(revision)", "ACTION_LOG_REVISION": "\(revision)",
      "ACTION_LOG_TYPE": attempt.record.type, "ACTION_LOG_ATTEMPT": "\(attempt.number)",
    ]
    // The limit is that of the action: its start, its input and its end together.
    let begin = uptime()
    let mayWait = { (_: Duration) in self.mayWait(self.uptime() - begin, for: revision) }
    let command = try started(ToolCommandLine(words, variables: variables, readsOutput: false))
    defer { command.terminate() }
    // A program that does not read its input succeeds as well.
    let end = try command.exchange(line(of: attempt.record).bytes, mayWait: mayWait) { _, _ in true }
    command.closeInput()
    guard end != .timedOut, let ending = command.wait(mayWait: mayWait) else {
      throw CommandFailure(description: "the command did not end \(patience)")
    }
    guard ending == .status(0) else {
      throw CommandFailure(
        description: "the command ended \(ending.text)", isInterruption: ending.isInterruption)
    }
    state.withLock { state in state.handledCount += 1 }
  }

  private var patience: String {
    stop.isRequested
      ? "after the request to stop" : "within \(timeLimit.map { limit in HumanText.duration(limit) } ?? "its time")"
  }

  // MARK: Lines

  private func exchange(_ attempts: [DeliveryAttempt<LogRecord>]) throws {
    let command = try runningCommand()
    let lines = try attempts.map { attempt in try line(of: attempt.record) }
    var answered = 0
    var answeredBytes = 0
    do {
      let mayWait = { (time: Duration) in self.mayWait(time, for: lines[min(answered, lines.count - 1)].revision) }
      let end = try command.exchange(lines.flatMap(\.bytes), mayWait: mayWait) { answer, writtenBytes in
        let line = lines[answered]
        try Self.check(answer, line)
        guard writtenBytes >= answeredBytes + line.bytes.count else {
          throw CommandFailure(description: "the command answered before it received the action")
        }
        answeredBytes += line.bytes.count
        answered += 1
        return answered < attempts.count
      }
      state.withLock { [answered] state in state.handledCount += answered }
      if end == .isComplete { return }
      throw failure(end, command)
    } catch {
      // What it did with the lines that it has not answered is unknown. A new one gets them again.
      state.withLock { state in state.command = nil }
      command.terminate()
      throw PartialDelivery(count: answered, error: error)
    }
  }

  private func runningCommand() throws -> any ToolCommand {
    if let command = state.withLock({ state in state.command }) { return command }
    let command = try started(ToolCommandLine(words, readsOutput: true))
    state.withLock { state in state.command = command }
    return command
  }

  private func started(_ line: ToolCommandLine) throws -> any ToolCommand {
    // Without a program, the first action fails like one that the program refuses.
    do { return try start(line) } catch let failure as ToolFailure {
      throw CommandFailure(description: failure.message, advice: failure.advice)
    }
  }

  private func failure(_ end: ToolExchangeEnd, _ command: any ToolCommand) -> CommandFailure {
    guard end == .outputEnded else {
      return CommandFailure(description: "the command did not answer \(patience)")
    }
    command.closeInput()
    guard let ending = command.wait(mayWait: { time in time < .seconds(1) }) else {
      return CommandFailure(description: "the command closed its output before it answered")
    }
    return CommandFailure(
      description: "the command ended \(ending.text) before it answered",
      isInterruption: ending.isInterruption)
  }

  /// Checks an answer: the revision in decimal digits, as in "seq" or "sequence", or the "id" of an event.
  private static func check(_ answer: ArraySlice<UInt8>, _ line: OutgoingLine) throws(CommandFailure) {
    let text = String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    if let eventID = line.eventID, text == eventID { return }
    let isNumber = !text.isEmpty && text.utf8.allSatisfy { byte in (0x30...0x39).contains(byte) }
    guard isNumber, let number = Int(text) else {
      throw CommandFailure(
        description:
          "the command answered '\(TerminalText.escaping(String(text.prefix(100))))' instead of the revision")
    }
    guard number == line.revision else {
      throw CommandFailure(
        description: "the command answered \(number), and the expected answer is \(line.revision)")
    }
  }
}

extension ToolCommandEnding {
  /// For instance `with status 1`.
  var text: String {
    switch self {
    case .status(let status): "with status \(status)"
    case .killed(let number): "by signal \(number)"
    }
  }

  fileprivate var isInterruption: Bool {
    let signals = [SIGINT, SIGTERM, SIGHUP]
    // A shell reports a signal of its last program as a status.
    return switch self {
    case .killed(let number): signals.contains(number)
    case .status(let status): signals.contains(status - 128)
    }
  }
}
