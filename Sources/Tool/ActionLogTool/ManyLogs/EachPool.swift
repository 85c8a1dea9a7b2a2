import ActionLog
import JSONCoding
import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The parent of `each`: child processes of this program answer for logs, one log at a time, and this process prints their lines.
///
/// A child reads many logs, so a small log costs no process of its own. A log whose reducer traps, or takes too long, costs its
/// child, which is replaced.
struct EachPool: Sendable {
  typealias Start = @Sendable ([String]) throws -> any ToolChild

  private let context: CommandContext
  private let question: EachQuestion
  private let jobs: Int?
  private let timeout: Duration?
  private let start: Start

  init(_ context: CommandContext, _ question: EachQuestion, jobs: Int?, timeout: Duration?, _ start: @escaping Start) {
    (self.context, self.question, self.jobs, self.timeout, self.start) = (context, question, jobs, timeout, start)
  }

  /// A closed output, or a stop request, kills the children.
  func run() throws -> ExitStatus {
    let limit = try childLimit()
    let source = try EachSource(context)
    let stop = context.environment.stop
    let children = RunningChildren()
    let work = OrderedWork<EachRequest, Answer>(
      source: { try source.next() }, size: { answer in answer.line.count })
    stop.accept()
    stop.onRequest {
      work.stop()
      children.killAll()
    }
    var status = ExitStatus.success
    var count = 0
    let jobs = min(jobs ?? OrderedWork<EachRequest, Answer>.usefulThreads, max(1, source.count ?? .max))
    let threads = min(jobs, limit)
    if threads < jobs {
      try context.note(
        "\(HumanText.count(threads)) processes instead of \(jobs): 'ulimit -n' allows no more open files")
    }
    let progress = context.progress("reading", unit: .logs)
    // One at a time: a child that starts has more open files than a running one.
    let starting = Locked(())
    let makeChild: @Sendable () throws -> any ToolChild = { [start, words = question.words] in
      try starting.withLock { _ in try start(["each", "-", "--jobs", "0", "--quiet", "--"] + words) }
    }
    try work.run(
      threads: threads,
      makeJob: { [timeout, wording = context.wording, uptime = context.environment.uptime] in
        let asker = ChildAsker(children, wording, timeout: timeout, uptime: uptime, makeChild)
        return { request in asker.ask(request) }
      },
      consume: { answer in
        if let failure = answer.failure { throw failure }
        guard !answer.line.isEmpty else { return }
        if !answer.isSuccess { status = .negative }
        count += 1
        try context.output.write(answer.line)
        try context.output.flush()
        try progress.update(done: count, total: source.count)
      }, afterFailure: { children.killAll() })
    try progress.finish()
    guard !stop.isRequested else {
      throw ToolFailure(
        "interrupted", .negative, "\(EachSource.interruption(count, of: source.count))",
        advice: "The printed lines are complete; the other logs were not read.")
    }
    return status
  }

  private func childLimit() throws(ToolFailure) -> Int {
    guard let limit = context.environment.childLimit() else { return .max }
    guard limit > 0 else {
      throw ToolFailure(
        "noProgram", .environment, "this process may not open enough files for another process",
        intact: "No log was read.", advice: "Allow more with 'ulimit -n', or read the logs in this process: --jobs 0.")
    }
    return limit
  }

  fileprivate struct Answer: Sendable {
    /// The line with its line feed; empty if the run was stopped before the log was read.
    var line: [UInt8]
    /// The reason why no process can be started, which ends the run.
    var failure: ToolFailure?

    /// Whether the status in the line is 0.
    ///
    /// The first `,"status":` is the member of the row: in a string, the quotation mark would have a backslash before it, and
    /// only two strings or numbers are before the member.
    var isSuccess: Bool {
      guard let start = line.indexOf(Self.name) else { return false }
      let value = line[(start + Self.name.count)...].prefix(2)
      return value.first == UInt8(ascii: "0")
        && !(value.last.map { byte in (0x30...0x39).contains(byte) && value.count > 1 } ?? true)
    }

    private static let name = Array(#","status":"#.utf8)
  }
}

private final class RunningChildren: Sendable {
  private struct Contents: Sendable {
    var children: [Int: any ToolChild] = [:]
    var next = 0
    var isEnded = false
  }

  private let contents = Locked(Contents())

  var isEnded: Bool { contents.withLock { contents in contents.isEnded } }

  /// - Returns: Its number; `nil` if all children were killed.
  func add(_ child: any ToolChild) -> Int? {
    contents.withLock { contents in
      guard !contents.isEnded else { return nil }
      defer { contents.next += 1 }
      contents.children[contents.next] = child
      return contents.next
    }
  }

  func remove(_ number: Int) {
    // Released outside of the lock: the release may wait for the process.
    let child = contents.withLock { contents in contents.children.removeValue(forKey: number) }
    withExtendedLifetime(child) {}
  }

  /// Kills all children, and refuses new ones.
  func killAll() {
    let children = contents.withLock { contents in
      contents.isEnded = true
      defer { contents.children = [:] }
      return contents.children
    }
    for child in children.values { _ = child.kill() }
  }
}

/// Asks logs in a child process, one after the other, and replaces a process that ended. Used by one thread.
private final class ChildAsker {
  private let children: RunningChildren
  private let wording: MessageWording
  private let timeout: Duration?
  private let uptime: @Sendable () -> Duration
  private let makeChild: @Sendable () throws -> any ToolChild
  private var current: (child: any ToolChild, number: Int)?

  init(
    _ children: RunningChildren, _ wording: MessageWording, timeout: Duration?,
    uptime: @escaping @Sendable () -> Duration,
    _ makeChild: @escaping @Sendable () throws -> any ToolChild
  ) {
    (self.children, self.wording, self.timeout) = (children, wording, timeout)
    (self.uptime, self.makeChild) = (uptime, makeChild)
  }

  deinit {
    if let current {
      _ = current.child.end()
      children.remove(current.number)
    }
  }

  func ask(_ request: EachRequest) -> EachPool.Answer {
    let begin = uptime()
    do {
      if let failure = request.failure { throw Ending(failure: failure) }
      return EachPool.Answer(line: try line(for: request))
    } catch {
      guard !children.isEnded else { return EachPool.Answer(line: []) }
      let ending = error as? Ending ?? Ending(failure: ToolFailure(any: error))
      guard !ending.isOfRun else { return EachPool.Answer(line: [], failure: ending.failure) }
      var row = EachRow(request)
      row.fail(ending.failure, wording, status: ending.status)
      row.duration = uptime() - begin
      do { return EachPool.Answer(line: try row.line()) } catch {
        return EachPool.Answer(line: [], failure: ToolFailure(any: error))
      }
    }
  }

  private struct Ending: Error {
    var failure: ToolFailure
    var status: Int32?
    /// Whether every other log would have the same error.
    var isOfRun = false
  }

  private func line(for request: EachRequest) throws -> [UInt8] {
    while true {
      let isFresh = current == nil
      let (child, number) = try current ?? newChild()
      current = (child, number)
      let hasTimedOut = Locked(false)
      let cancel = timeout.map { timeout in
        TimerThread.shared.schedule(after: timeout) {
          hasTimedOut.withLock { hasTimedOut in hasTimedOut = true }
          _ = child.kill()
        }
      }
      defer { cancel?() }
      var isSent = false
      do {
        try child.send(request.line + [0x0A])
        isSent = true
        if let line = try child.nextLine() { return line + [0x0A] }
      } catch {
        // A closed pipe: the process has ended.
      }
      let signal = child.kill()
      let status = child.end()
      current = nil
      children.remove(number)
      guard !children.isEnded else { throw CancellationError() }
      if hasTimedOut.withLock({ hasTimedOut in hasTimedOut }) { throw Self.timedOut(timeout) }
      // A process that ended before it got the log did not end because of it.
      if !isSent, !isFresh { continue }
      throw Self.crashed(signal, status)
    }
  }

  private func newChild() throws -> (any ToolChild, Int) {
    let child: any ToolChild
    do { child = try makeChild() } catch {
      var failure = ToolFailure(any: error)
      failure.intact = "The printed lines are complete; the other logs were not read."
      failure.advice = .sentences(
        failure.advice, "Start fewer processes with --jobs, or read the logs in this process: --jobs 0.")
      throw Ending(failure: failure, isOfRun: true)
    }
    guard let number = children.add(child) else {
      _ = child.kill()
      throw CancellationError()
    }
    return (child, number)
  }

  /// The status that `timeout` of other systems has.
  private static let timeoutStatus: Int32 = 124

  private static func timedOut(_ timeout: Duration?) -> Ending {
    let time = timeout.map { timeout in " within " + HumanText.duration(timeout) } ?? ""
    return Ending(
      failure: ToolFailure(
        "timeout", .limit, "the verb did not answer\(time), and its process was killed",
        advice: "Allow more with --timeout."),
      status: timeoutStatus)
  }

  private static func crashed(_ signal: Int32?, _ status: Int32) -> Ending {
    let what =
      signal.map { signal in "was ended by signal \(signal) (\(String(cString: strsignal(signal))))" }
      ?? "exited with status \(status)"
    return Ending(
      failure: ToolFailure(
        "crashed", .environment, "the process that read the log \(what) before it answered",
        advice: "Its messages are on standard error. The log is unchanged; the other logs are not affected."),
      status: signal.map { signal in 128 + signal } ?? (status == 0 ? ExitStatus.environment.rawValue : status))
  }
}
