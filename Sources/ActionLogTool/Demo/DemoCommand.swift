import ActionLog
import EventSourcing
import TimeTravel

extension Command {
  static let demo = Command(
    "demo",
    group: .start,
    summary: "see in a minute what this is for",
    details: """
      Records a small session of a sample app, lets the app die, rebuilds its state from the log, steps and diffs through
      its past, and verifies the log. Nothing is left behind unless --keep names a directory for the log, which appears there
      in the end: after an interruption there is none, and the command can be given again. The recording is the same every time,
      byte for byte.
      With --bug it makes a long log instead, in which a value goes wrong once, and says what to ask it to find out why.
      """,
    examples: [
      .init("demo", "the whole tour"),
      .init("demo --keep my-log", "and keep the log, to ask it more"),
      .init("demo --model counter", "a smaller app"),
      .init("demo --bug --keep bug-log", "a log of 100 000 actions, and a bug to find in it"),
    ],
    options: [
      DemoCommand.keep, DemoCommand.bug,
      .value("model", letter: "m", "MODEL", "the app to show (default: the first that has a story)"),
    ],
    asynchronous: { context in
      guard context.arguments.has(DemoCommand.bug) else { return try await DemoCommand(context: context).run() }
      return try await OffPool.run { try BugDemo(context: context).run() }
    }
  )
}

/// `demo`: finds a story and a place, plays it, and leaves the place as it was, or with a whole log.
struct DemoCommand {
  static let keep = CommandOption.value("keep", letter: "k", "DIR", "keep the log in this directory")
  static let bug = CommandOption.flag(
    "bug", letter: "b", "make a log with a bug to be found, in the directory of --keep")

  let context: CommandContext

  func run() async throws -> ExitStatus {
    let (model, story) = try storyteller()
    let context = context
    let keptPath = context.arguments.value(of: Self.keep)
    let directory = try await OffPool.run {
      if let keptPath { return try DemoDirectory.kept(at: keptPath, in: context.files) }
      return try DemoDirectory.temporary(in: context.environment)
    }
    let tour = DemoTour(context: context, model: model, story: story, path: directory.path, keptPath: keptPath)
    let outcome: DemoTour.Outcome
    do {
      outcome = try await tour.run()
      try await OffPool.run { try directory.finish() }
    } catch {
      await OffPool.run { directory.discard() }
      throw error
    }
    // Not before the log is there: who reads on may go to it at once.
    try await tour.conclude(outcome)
    return .success
  }

  private func storyteller() throws -> (any ModelHandle, StoredStory) {
    let named = context.arguments.value(of: .model)
    let candidates = try named.map { name in [try context.model(named: name)] } ?? context.tool.models.map(\.handle)
    for model in candidates {
      if let story = try model.story() { return (model, story) }
    }
    let models = context.tool.models.map(\.handle).filter(\.hasStory).map(\.name)
    throw ToolFailure.usage(
      named.map { name in "the model '\(name)' has no story to tell" } ?? "no model of this tool has a story to tell",
      advice: models.isEmpty
        ? "Register one with .model(…, story:)." : "These have: \(models.joined(separator: ", ")).")
  }
}
