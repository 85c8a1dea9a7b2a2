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
    rules: [.oneOf([SubscriptionsCommand.reset, SubscriptionsCommand.remove, SubscriptionsCommand.retry])],
    schema: .anyOf(
      "A line for each subscription, or what was changed.",
      [SubscriptionsCommand.row.shape.schema, SubscriptionsCommand.change.schema]),
    blocking: { context in try SubscriptionsCommand(context: context).run() }
  )
}

private struct SubscriptionsCommand {
  static let reset = CommandOption.value("reset", "NAME", "set the position of NAME to POINT").writing
  static let remove = CommandOption.value("remove", "NAME", "remove the subscription NAME").writing
  static let retry = CommandOption.value("retry", "NAME", "deliver the parked actions of NAME again").writing

  static let row = AnswerRow<SubscriptionSummary>(
    help: "A line for each subscription.",
    shape: .object([
      .member("name", .text, \.name), .nullable("seq", .revision, \.position?.revision),
      .member("lag", .count, \.lag), .member("held", .flag, \.isHeld),
      .member("parked", .count, \.parkedCount), .member("retrying", .count, \.waitingCount),
      .member("attempts", .count, \.attempts),
      .optional("lagSeconds", .decimal) { item in item.lagTime.map { time in time / .seconds(1) } },
      .optional("updated", .time, \.updated),
      .optional("holder", .integer) { item in item.holder.map(Int.init) },
      .optional("error", .text, \.error),
    ]),
    heading: ["name", "revision", "lag", "lag time", "consumer", "parked", "last error"],
    columns: [.left, .right, .right, .right, .right, .right, .left]
  ) { summary, table, context in
    try table.append([
      .init(summary.name, paint: context.output.style.bold),
      .init(summary.position.map { position in "\(position.revision)" } ?? "?"),
      .init(HumanText.count(summary.lag)), .init(summary.lagTime.map { time in HumanText.duration(time) } ?? "0 s"),
      .init(consumer(summary)),
      .init(HumanText.count(summary.parkedCount + summary.waitingCount)), .init(summary.error ?? ""),
    ])
  }

  struct Change {
    let name: String
    var revision: Int?
    var isRemoved = false
    /// The number of parked actions that will be delivered again.
    var retryCount: Int?
  }

  static let change = AnswerShape<Change>.object([
    .member("name", .text, \.name), .optional("seq", .revision, \.revision),
    .optional("removed", .always, { change in change.isRemoved ? true : nil }),
    .optional("retrying", .count, \.retryCount),
  ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let arguments = context.arguments
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
      return try report(Change(name: name, revision: revision), "the position is revision \(revision)")
    }
    guard arguments.positional(1) == nil else { throw ToolFailure.usage("only --reset takes a point") }
    if let name = arguments.value(of: Self.remove) {
      try store.remove(name)
      return try report(Change(name: name, isRemoved: true), "removed")
    }
    if let name = arguments.value(of: Self.retry) {
      let count = try store.retryParked(name)
      return try report(Change(name: name, retryCount: count), retryText(count, name, store))
    }
    let items = try store.summaries(now: context.environment.logEnvironment.now())
    return try context.print(items, as: Self.row, noneText: "no subscriptions")
  }

  private func retryText(_ count: Int, _ name: String, _ store: SubscriptionStore) throws -> String {
    if count > 0 { return "\(HumanText.count(count, "action")) will be delivered again" }
    let waiting = try store.parked(name).waiting
    guard !waiting.isEmpty else { return "no action is parked" }
    return
      "no other action is parked; \(HumanText.count(waiting.count, "action")) of an earlier --retry will be delivered"
      + " again at the next pause of a running consumer, or when one starts"
  }

  private func report(_ change: Change, _ text: String) throws -> ExitStatus {
    try context.answer(change, Self.change) { try context.output.line("\(change.name): \(text)") }
    return .success
  }

  private static func consumer(_ summary: SubscriptionSummary) -> String {
    guard summary.isHeld else { return "-" }
    return summary.holder.map(String.init) ?? "yes"
  }
}
