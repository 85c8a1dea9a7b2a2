import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI

extension Command {
  static let subscriptions = Command(
    "subscriptions",
    group: .exchange,
    effect: .readsLog,
    summary: "list the subscriptions of a log, or change one",
    details: """
      Columns: name, revision up to which everything was handled, lag (actions after it), time since the first of them, consumer
      (its process, or - if none is running; with the action and the time if a call takes more than ten seconds), parked actions,
      last error. The status is 1 if there are none.
      --reset sets the position to POINT: the next action is the one after it. --remove deletes the position and the parked
      actions. Both need the consumer to be stopped. --retry lets the consumer deliver the parked actions again: a running one
      does so at its next pause, others when they start. An action that fails again is parked again. Until that is done, a second
      --retry changes nothing.
      \(PointResolver.forms)
      """,
    examples: [
      .init("subscriptions my-log", "all of them"),
      .init("subscriptions my-log --reset mail '5m ago'", "deliver again what happened since"),
      .init("subscriptions my-log --retry mail", "deliver parked actions again"),
    ],
    arguments: [
      .wholeLog, CommandArgument("POINT", arity: .optional, "with --reset, the last action that counts as handled"),
    ],
    options: [SubscriptionsCommand.reset, SubscriptionsCommand.remove, SubscriptionsCommand.retry],
    blocking: { context in try SubscriptionsCommand(context: context).run() }
  )
}

/// `subscriptions`: lists subscriptions, and changes their files.
private struct SubscriptionsCommand {
  static let reset = CommandOption.value("reset", "NAME", "set the position of NAME to POINT").writing
  static let remove = CommandOption.value("remove", "NAME", "remove the subscription NAME").writing
  static let retry = CommandOption.value("retry", "NAME", "deliver the parked actions of NAME again").writing

  let context: CommandContext

  func run() throws -> ExitStatus {
    let arguments = context.arguments
    guard [Self.reset, Self.remove, Self.retry].count(where: { option in arguments.has(option) }) <= 1 else {
      throw ToolFailure.usage("--reset, --remove and --retry cannot be combined")
    }
    let path = try context.logPath()
    let reader = try context.openCompleteLog(path, toRead: "subscriptions")
    let store = SubscriptionStore(at: reader.path, fileSystem: context.files)
    if let name = arguments.value(of: Self.reset) {
      guard let point = arguments.positional(1) else {
        throw ToolFailure.usage(
          "--reset needs a point: 'subscriptions \(ShellWord(path)) --reset \(ShellWord(name)) POINT'")
      }
      let revision = try PointResolver(context, reader: reader).revision(point)
      try store.reset(name, to: revision, time: context.environment.logEnvironment.now())
      return try report(name, "the position is revision \(revision)", ["seq": .integer(revision)])
    }
    guard arguments.positional(1) == nil else { throw ToolFailure.usage("only --reset takes a point") }
    if let name = arguments.value(of: Self.remove) {
      try store.remove(name)
      return try report(name, "removed", ["removed": true])
    }
    if let name = arguments.value(of: Self.retry) {
      let count = try store.retryParked(name)
      return try report(name, try retryText(count, name, store), ["retrying": .integer(count)])
    }
    let now = context.environment.logEnvironment.now()
    return try list(store.summaries(now: now), at: now)
  }

  /// The result of `--retry` for a number of actions.
  private func retryText(_ count: Int, _ name: String, _ store: SubscriptionStore) throws -> String {
    if count > 0 { return "\(HumanText.count(count, "action")) will be delivered again" }
    let waiting = try store.parked(name).waiting
    guard !waiting.isEmpty else { return "no action is parked" }
    return
      "no other action is parked; \(HumanText.count(waiting.count, "action")) of an earlier --retry will be delivered"
      + " again at the next pause of a running consumer, or when one starts"
  }

  private func report(_ name: String, _ text: String, _ members: JSONObject) throws -> ExitStatus {
    if context.isJSON {
      try context.output.json(.object(JSONObject([(name: "name", value: .string(name))] + Array(members))))
    } else {
      try context.output.line("\(name): \(text)")
    }
    return .success
  }

  private func list(_ summaries: [SubscriptionSummary], at now: LogTime) throws -> ExitStatus {
    if context.isJSON {
      for summary in summaries { try context.output.json(.object(json(summary))) }
    } else {
      let style = context.output.style
      var table = PagedTable(
        [.left, .right, .right, .right, .right, .right, .left], printer: context.output, columns: context.outputColumns)
      if !summaries.isEmpty {
        let names = ["name", "revision", "lag", "lag time", "consumer", "parked", "last error"]
        try table.append(names.map { name in .init(name, paint: style.dim) })
      }
      for summary in summaries {
        try table.append([
          .init(summary.name, paint: style.bold),
          .init(summary.position.map { position in "\(position.revision)" } ?? "?"),
          .init(HumanText.count(summary.lag)), .init(summary.lagTime.map { time in HumanText.duration(time) } ?? "0 s"),
          .init(consumer(summary, at: now)),
          .init(HumanText.count(parkedCount(summary))),
          .init(summary.error ?? ""),
        ])
      }
      try table.flush()
    }
    if summaries.isEmpty { try context.note("no subscriptions") }
    return summaries.isEmpty ? .negative : .success
  }

  private func consumer(_ summary: SubscriptionSummary, at now: LogTime) -> String {
    guard summary.isHeld else { return "-" }
    let process = summary.holder.map(String.init) ?? "yes"
    guard let running = summary.running, let since = summary.runningSince else { return process }
    let time = Duration.microseconds(max(0, now.microseconds - since.microseconds))
    return "\(process), at \(running) for \(HumanText.duration(time))"
  }

  private func parkedCount(_ summary: SubscriptionSummary) -> Int { summary.parkedCount + summary.waitingCount }

  private func json(_ summary: SubscriptionSummary) -> JSONObject {
    var object: JSONObject = [
      "name": .string(summary.name), "seq": summary.position.map { position in .integer(position.revision) } ?? .null,
      "lag": .integer(summary.lag), "held": .bool(summary.isHeld), "parked": .integer(summary.parkedCount),
      "retrying": .integer(summary.waitingCount), "attempts": .integer(summary.attempts),
    ]
    if let time = summary.lagTime, let seconds = JSONNumber(time / .seconds(1)) {
      object["lagSeconds"] = .number(seconds)
    }
    object["updated"] = summary.updated.map { time in .string(time.description) }
    object["holder"] = summary.holder.map { process in .integer(Int(process)) }
    object["running"] = summary.running.map(JSONValue.integer)
    object["runningSince"] = summary.runningSince.map { time in .string(time.description) }
    object["error"] = summary.error.map(JSONValue.string)
    return object
  }
}
