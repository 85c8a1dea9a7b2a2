import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TerminalUI
import TimeTravel

extension Command {
  static let consume = Command(
    "consume",
    group: .exchange,
    summary: "deliver each action to a program at least once, in order",
    details: """
      Starts COMMAND, and writes a line to its standard input for each durable action, from the stored position on and then as
      they come. When COMMAND has handled an action, it prints the action's revision and nothing else ("seq" of the line; of an
      event, "sequence" or "id") on a line of its standard output, in order, and does not hold it back in a buffer (jq needs
      --unbuffered). The position is then stored in the log's
      subscriptions/NAME.json, so that another run continues there, also after a crash: actions past the stored position are
      delivered again.
      With --each, COMMAND runs once for each action, with the line as its input, and its exit status 0 is the answer. The
      variables ACTION_LOG_ID (the log's identifier, '/' and the revision: the same for every delivery of an action),
      ACTION_LOG_REVISION, ACTION_LOG_TYPE and ACTION_LOG_ATTEMPT describe it.
      If COMMAND ends, takes longer than --timeout, or answers with anything else, nothing is lost: the action is attempted
      --attempts times, after growing delays, and then consume stops, or with --on-failure skip, parks the action and continues.
      One consumer at a time delivers a subscription; 'subscriptions' lists them. The end, Ctrl-C and SIGTERM close the input of
      COMMAND, wait up to ten seconds for its answers, and store the position.
      The status is 0 if every action was handled, 1 if actions were parked, and 4 if another consumer holds the subscription. It
      is 3 if consume stopped at an action that COMMAND did not handle, whatever the status of COMMAND was; --json then has the
      code commandFailed, and any other code with status 3 is an error of the log or of the position.
      --from counts only if there is no position yet. A pruned log starts with the first action after its base.
      """,
    examples: [
      .init("consume my-log --as mail --type 'order.*' -- ./send-mail.sh", "a program that reads lines and answers"),
      .init("consume my-log --as sum --each --until-end -- sha256sum", "run a program for each action, up to the end"),
      .init("consume my-log --as stream --format cloudevents --batch 100 -- ./to-redis.sh", "feed a broker"),
    ],
    arguments: [
      .wholeLog, CommandArgument("COMMAND", arity: .afterSeparator, "a program and its arguments"),
    ],
    options: ConsumeOptions.all,
    rules: [.requires(ConsumeOptions.name), .oneOf([ConsumeOptions.each, ConsumeOptions.batch])],
    schema: ConsumeCommand.shape.schema,
    asynchronous: { context in try await ConsumeCommand(context: context).run() }
  )
}

private enum ConsumeOptions {
  static let name = CommandOption.value("as", "NAME", "the name of the subscription")
  static let from = CommandOption.value(
    "from", "POINT",
    "the first action, if there is no position yet (default: start, the log's first; end: only new ones)")
  static let format = CommandOption.choice(
    "format", of: ["lines", "cloudevents"], "the lines of the log (default), or CloudEvents")
  static let each = CommandOption.flag("each", "run COMMAND once for each action")
  static let batch = CommandOption.value(
    "batch", "COUNT", "write up to COUNT lines before the first answer, and store the position after them (default 1)")
  static let untilEnd = CommandOption.flag("until-end", "end when everything that is durable was delivered")
  static let timeout = CommandOption.value("timeout", "DURATION", "the longest time for an answer (default: no limit)")
  static let attempts = CommandOption.value("attempts", "COUNT", "how often to attempt an action (default 1)")
  static let onFailure = CommandOption.choice(
    "on-failure", of: ["stop", "skip"], "after the last attempt: stop (default), or park the action and continue")
  static let standby = CommandOption.flag(
    "standby", "wait while another consumer holds the subscription, and take over")

  static let all = [
    name, RecordFilter.type, from, format, each, batch, untilEnd, timeout, attempts, onFailure, standby,
  ]

  /// Bounds the memory of the lines that wait for an answer.
  static let batchLimit = 10_000
  static let attemptLimit = 1_000
}

private struct ConsumeCommand {
  struct Answer {
    let name: String
    let revision: Int
    let handledCount: Int
    let parkedCount: Int
  }

  static let shape = AnswerShape<Answer>.object(
    "One object at the end: the position of the subscription, and what this run delivered.",
    [
      .member("name", .text, \.name), .member("seq", .revision, \.revision),
      .member("delivered", .count, \.handledCount), .member("parked", .count, \.parkedCount),
    ])

  let context: CommandContext

  func run() async throws -> ExitStatus {
    let arguments = context.arguments
    let name = arguments.value(of: ConsumeOptions.name) ?? ""
    guard !arguments.trailing.isEmpty else {
      throw ToolFailure.usage("'consume' needs a command after '--', for instance -- ./send-mail.sh")
    }
    let start = try context.startCommand()
    let isEach = arguments.has(ConsumeOptions.each)
    let batch = try arguments.integer(of: ConsumeOptions.batch, in: 1...ConsumeOptions.batchLimit) ?? 1
    let path = try context.logPath()
    let (header, point) = try await BlockingWork.run { try open(path, name) }
    let timeLimit = try arguments.duration(of: ConsumeOptions.timeout, in: .milliseconds(1) ... .seconds(86_400))
    let messages = ConsumeMessages(context, name: name)
    let consumer = CommandConsumer(
      words: arguments.trailing, start: start, isEach: isEach,
      timeLimit: timeLimit, uptime: context.environment.uptime,
      stop: context.environment.stop,
      eventHeader: arguments.value(of: ConsumeOptions.format) == "cloudevents" ? header : nil
    ) { revision in
      messages.addSlowAnswer(to: revision, isEach: isEach)
    }
    var plan = DeliveryPlan<LogRecord> { record in
      record
    } handle: { attempts in
      try await consumer.deliver(attempts)
    }
    plan.batchLimit = batch
    let loop = try DeliveryLoop(
      named: name, at: path, fileSystem: context.files, start: point,
      configuration: try configuration(messages), plan: plan)
    context.environment.stop.accept()
    let task = Task { _ = try await loop.run(endsWhenCaughtUp: arguments.has(ConsumeOptions.untilEnd)) }
    context.environment.stop.onRequest {
      task.cancel()
      consumer.noteStop()
    }
    let result = await task.result
    let ending = await BlockingWork.run { consumer.finish() }
    await messages.finish()
    do { try result.get() } catch { throw failure(error, name: name, path: path) }
    return try await BlockingWork.run { try conclude(ending, messages, consumer, name: name) }
  }

  private func open(_ path: String, _ name: String) throws -> (LogHeader, SubscriptionStart) {
    let reader = try context.openReader(path)
    let from = context.arguments.value(of: ConsumeOptions.from)
    if try SubscriptionStore(at: path, fileSystem: context.files).read(name) == nil {
      if let base = reader.base, from == nil {
        try context.note("the log was pruned: the subscription begins with action \(base.first)")
      }
      try warnOfUnmatchedTypes(in: reader, name)
    }
    let point: SubscriptionStart =
      switch from {
      case nil, "start": reader.base.map { base in .revision(base.first) } ?? .beginning
      case "end": .end
      case let text?: .revision(max(1, try PointResolver(context, reader: reader).firstAction(text, mayCome: true)))
      }
    return (reader.header, point)
  }

  /// A type that is misspelled would move the position past the actions that it means. Reads the log, so it is looked for only when the
  /// subscription begins, which reads the log, too.
  private func warnOfUnmatchedTypes(in reader: LogReader, _ name: String) throws {
    guard try reader.extent().lastRevision > reader.firstRevision else { return }
    for type in context.arguments.values(of: RecordFilter.type) {
      let filter = TypeFilter([type])
      let found = try reader.lastRecords(1) { record in !record.isControl && filter.matches(record.type) }
      guard found.records.isEmpty, found.damage == nil else { continue }
      try context.warn("\(name): \(filter.hints.first?.description ?? "--type \(type) matches no action")")
    }
  }

  private func configuration(_ messages: ConsumeMessages) throws -> SubscriptionConfiguration {
    let arguments = context.arguments
    var configuration = SubscriptionConfiguration()
    configuration.types = arguments.values(of: RecordFilter.type)
    configuration.retries.attempts =
      try arguments.integer(of: ConsumeOptions.attempts, in: 1...ConsumeOptions.attemptLimit) ?? 1
    configuration.onFailure = arguments.value(of: ConsumeOptions.onFailure) == "skip" ? .skip : .stop
    configuration.whenHeld = arguments.has(ConsumeOptions.standby) ? .standby : .fail
    configuration.environment.now = context.environment.logEnvironment.now
    configuration.observer = messages
    return configuration
  }

  private func conclude(
    _ ending: ToolCommandEnding?, _ messages: ConsumeMessages, _ consumer: CommandConsumer, name: String
  ) throws -> ExitStatus {
    let store = SubscriptionStore(at: try context.logPath(), fileSystem: context.files)
    if let ending, ending != .status(0) {
      try context.warn("the command ended \(ending.text), after it had answered all actions")
    }
    if let reason = consumer.unanswered {
      try context.warn("\(reason); the next run delivers the action again")
    }
    let answer = Answer(
      name: name, revision: try store.read(name)?.position.revision ?? 0, handledCount: consumer.handledCount,
      parkedCount: messages.parkedCount)
    try context.answer(answer, Self.shape) {
      let parked = answer.parkedCount > 0 ? ", parked \(HumanText.count(answer.parkedCount))" : ""
      try context.note(
        "\(name): delivered \(HumanText.count(answer.handledCount, "action"))\(parked); the position is revision "
          + "\(answer.revision)")
    }
    return answer.parkedCount > 0 ? .negative : .success
  }

  /// The error of a command, instead of that of the subscription around it.
  private func failure(_ error: any Error, name: String, path: String) -> any Error {
    guard let error = error as? EventSourcingError, error.code == .deliveryFailed, let revision = error.revision else {
      return error
    }
    let message = error.underlying.map { error in "\(error)" } ?? error.message
    var failure = ToolFailure("commandFailed", .environment, "\(message)", path: path)
    failure.revision = revision
    failure.intact =
      "Nothing is lost: everything before action \(revision) was handled, and the next run begins with it."
    failure.advice =
      (error.underlying as? CommandFailure)?.advice ?? "--attempts repeats an action, --on-failure skip parks it."
    return failure
  }
}

// MARK: - Messages

/// The notes and warnings of a running subscription, written by a thread of their own.
private final class ConsumeMessages: LogObserver {
  private let context: CommandContext
  private let name: String
  private let thread = SerialQueue()
  private let parked = Locked(0)

  init(_ context: CommandContext, name: String) {
    self.context = context
    self.name = name
  }

  var parkedCount: Int { parked.withLock { count in count } }

  func observe(_ event: LogEvent) {
    guard case .subscription(_, let event) = event.kind else { return }
    switch event {
    case .isWaiting(let holder):
      note("waiting for another consumer\(holder.map { process in " (process \(process))" } ?? "")")
    case .didStart(let revision):
      note("delivering the actions after revision \(revision)")
    case .didCatchUp(let revision):
      note("everything up to revision \(revision) was handled")
    case .didFail(let revision, let attempts, let error):
      warn("attempt \(attempts) of action \(revision) failed: \(error)")
    case .didPark(let revision, _, _):
      parked.withLock { count in count += 1 }
      warn("action \(revision) is parked")
    case .didDeliver: break
    }
  }

  func addSlowAnswer(to revision: Int, isEach: Bool) {
    let reason =
      isEach ? "" : ". A program that holds its answers back in a buffer is waited for in vain (jq needs --unbuffered)"
    note("still waiting for the command to handle action \(revision)\(reason). --timeout limits the wait")
  }

  private func note(_ text: String) {
    write { context, name throws(ToolStreamError) in try context.note("\(name): \(text)") }
  }
  private func warn(_ text: String) {
    write { context, name throws(ToolStreamError) in try context.warn("\(name): \(text)") }
  }

  private func write(_ body: @escaping @Sendable (CommandContext, String) throws(ToolStreamError) -> Void) {
    thread.async { [context, name] in
      do throws(ToolStreamError) {
        try body(context, name)
        try context.messages.flush()
      } catch {
        // Delivery continues without a reader of messages.
      }
    }
  }

  func finish() async {
    await withCheckedContinuation { continuation in thread.async { continuation.resume() } }
  }
}
