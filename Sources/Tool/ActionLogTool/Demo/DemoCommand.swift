import ActionLog
import EventSourcing
import TimeTravel

extension Command {
  static let demo = Command(
    "demo",
    group: .start,
    summary: "see in a minute what this is for",
    details: """
      Records a small session of a sample app in a second process, kills that process with SIGKILL, rebuilds the state from
      the log, steps and diffs through its past, and verifies the log. Nothing is left behind unless --keep names a directory for the log, which appears there
      in the end: after an interruption there is none, and the command can be given again. The recording is the same every time,
      byte for byte.
      With --bug it makes a long log instead, in which a value goes wrong once, and prints the commands that find out why.
      --act is what the second process does.
      """,
    examples: [
      .init("demo", "the whole tour"),
      .init("demo --keep my-log", "and keep the log, to ask it more"),
      .init("demo --model counter", "a smaller app"),
      .init("demo --bug --keep bug-log", "a log of 100 000 actions, and a bug to find in it"),
    ],
    options: [
      DemoCommand.keep, DemoCommand.bug, DemoCommand.act,
      .value("model", letter: "m", "MODEL", "the app to show (default: the first that has a story)"),
    ],
    asynchronous: { context in
      if let path = context.arguments.value(of: DemoCommand.act) {
        return try await DemoCommand(context: context).act(at: path)
      }
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

  static let act = CommandOption.value(
    "act", "LOG", "only record the session into LOG, print each acknowledged revision, and wait for the end of input")

  let context: CommandContext

  /// Records the session until this process is killed.
  func act(at path: String) async throws -> ExitStatus {
    guard !path.isEmpty, !context.arguments.has(Self.keep), !context.arguments.has(Self.bug) else {
      throw ToolFailure.usage("--act takes the path of a log, and no other option but --model")
    }
    let (model, story) = try storyteller()
    let context = context
    let isFree = try await OffPool.run {
      try context.files.status(of: path) == nil || context.files.names(in: path).isEmpty
    }
    guard isFree else {
      throw LogError(.exists, "there is something already", path: path, advice: "Name a path at which nothing is.")
    }
    try await DemoTour(context: context, model: model, story: story, path: path, keptPath: nil).act()
    return .success
  }

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
