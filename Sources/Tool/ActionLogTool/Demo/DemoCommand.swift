import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TerminalUI
import TimeTravel

extension Command {
  static let demo = Command(
    "demo",
    group: .start,
    summary: "see what this is for",
    details: """
      Records a small session of a sample app in a second process, kills that process with SIGKILL, rebuilds the state from
      the log, shows what an action changed, and verifies the log. Nothing is left behind unless --keep names a directory for the log, which appears there
      in the end: after an interruption there is none, and the command can be given again. The recording is the same every time,
      byte for byte.
      With --bug it makes a long log instead, in which a value goes wrong once, and prints the commands that find out why.
      --story records another session of the app, if it has one. --act is what the second process does.
      """,
    examples: [
      .init("demo", "the whole tour"),
      .init("demo --keep my-log", "and keep the log, to ask it more"),
      .init("demo --model counter", "a smaller app"),
      .init("demo --model foodtruck --story rush", "a session in which results name their causes"),
      .init("demo --bug --keep bug-log", "a log of 100 000 actions, and a bug to find in it"),
    ],
    options: [
      DemoCommand.keep, DemoCommand.bug, DemoCommand.act,
      .value("model", letter: "m", "MODEL", "the app to show (default: the first that has a story)"), DemoCommand.story,
    ],
    rules: [.oneOf([DemoCommand.act, DemoCommand.bug]), .excludes(DemoCommand.act, [DemoCommand.keep])],
    schema: .anyOf(
      "One object: the story that was recorded and replayed, or the log of --bug.",
      [DemoTour.shape.schema, BugDemo.shape.schema]),
    asynchronous: { context in
      if let path = context.arguments.value(of: DemoCommand.act) {
        return try await DemoCommand(context: context).act(at: path)
      }
      guard context.arguments.has(DemoCommand.bug) else { return try await DemoCommand(context: context).run() }
      return try await BlockingWork.run { try BugDemo(context: context).run() }
    }
  )
}

/// `demo`: selects a story and a directory, runs the tour, and removes or keeps the log.
struct DemoCommand {
  static let keep = CommandOption.value("keep", letter: "k", "DIR", "keep the log in this directory")
  static let bug = CommandOption.flag(
    "bug", "make a log with a bug to be found, in the directory of --keep")

  static let story = CommandOption.value("story", "NAME", "another session of the app")
  static let act = CommandOption.value(
    "act", "LOG", "only record the session into LOG, print each acknowledged revision, and wait for the end of input")

  let context: CommandContext

  func act(at path: String) async throws -> ExitStatus {
    guard !path.isEmpty else { throw ToolFailure.usage("--act takes the path of a log") }
    let (model, story) = try storyteller()
    let context = context
    let isFree = try await BlockingWork.run {
      try context.files.status(of: path) == nil || context.files.names(in: path).isEmpty
    }
    guard isFree else {
      throw LogError(.exists, "the path already exists", path: path, advice: "Name a path that does not exist.")
    }
    try await DemoTour(
      context: context, model: model, story: story, directory: DemoDirectory(path: path, fileSystem: context.files),
      keptPath: nil
    ).act()
    return .success
  }

  func run() async throws -> ExitStatus {
    let (model, story) = try storyteller()
    let context = context
    let keptPath = context.arguments.value(of: Self.keep)
    let directory = try await BlockingWork.run {
      if let keptPath { return try DemoDirectory.kept(at: keptPath, in: context.files) }
      return try DemoDirectory.temporary(in: context.environment)
    }
    let tour = DemoTour(context: context, model: model, story: story, directory: directory, keptPath: keptPath)
    let result: Result<Void, any Error>
    do { result = .success(try await tour.run()) } catch { result = .failure(error) }
    await BlockingWork.run { directory.discard() }
    try result.get()
    return .success
  }

  private func storyteller() throws -> (RegisteredModel, StoredStory) {
    let name = context.arguments.value(of: Self.story)
    let noun = name.map { name in "story '\(name)'" } ?? "story to tell"
    return try context.demoModel(with: noun, registeredBy: ".model(…, story:)") { model in
      try model.stories.first { story in story.name == name }?.encode()
    }
  }
}

extension CommandContext {
  /// The models to choose from: the one that `--model` names, or all of them.
  fileprivate var demoModels: [RegisteredModel] {
    get throws { try arguments.value(of: .model).map { name in [try model(named: name)] } ?? tool.models }
  }

  /// Returns the first of these models that has a part for a demo.
  fileprivate func demoModel<Part>(
    with noun: String, registeredBy registration: String, _ part: (RegisteredModel) throws -> Part?
  ) throws -> (RegisteredModel, Part) {
    for model in try demoModels {
      if let part = try part(model) { return (model, part) }
    }
    let models = try tool.models.filter { model in try part(model) != nil }.map(\.name)
    throw ToolFailure.usage(
      arguments.value(of: .model).map { name in "the model '\(name)' has no \(noun)" }
        ?? "no model of this tool has a \(noun)",
      advice: models.isEmpty
        ? "Register one with \(registration)." : "These have: \(models.joined(separator: ", ")).")
  }
}

/// The directory of a demo's log: a temporary one, or one next to the requested path until the log is complete.
struct DemoDirectory: Sendable {
  let path: String
  /// The temporary directory that holds it, if any.
  var parent: String?
  /// The directory that gets the requested path, if any.
  var directory: NewDirectory?
  let fileSystem: any LogFileSystem

  private static let failure = "the log cannot be kept"

  static func temporary(in environment: ToolEnvironment) throws(FileSystemError) -> DemoDirectory {
    let parent = "\(environment.temporaryDirectory)/action-log-demo-\(environment.logEnvironment.makeLogID())"
    try environment.fileSystem.createDirectory(parent)
    return DemoDirectory(path: parent + "/my-log", parent: parent, fileSystem: environment.fileSystem)
  }

  /// Creates a directory that will be renamed to the path that the user requested.
  static func kept(at path: String, in fileSystem: any LogFileSystem) throws -> DemoDirectory {
    try checkFree(path, in: fileSystem)
    let directory = try NewDirectory(at: path, fileSystem, failure: failure)
    return DemoDirectory(path: directory.path, directory: directory, fileSystem: fileSystem)
  }

  /// Rejects an existing path, even an empty directory.
  static func checkFree(_ path: String, in fileSystem: any LogFileSystem) throws {
    guard try fileSystem.status(of: path) != nil else { return }
    throw LogError(
      .exists, "the path already exists", path: path, advice: "Name a directory that does not exist.")
  }

  /// Gives the log its final path, unless it is temporary.
  func finish() throws { try directory?.finish(failure: Self.failure) }

  /// Removes the directory, unless the log has its final path. Ignores errors, because the first one is reported.
  func discard() {
    directory?.discard()
    // The parent of a log, and two levels in it.
    if let parent { do throws(FileSystemError) { try remove(parent, levels: 3) } catch {} }
  }

  private func remove(_ path: String, levels: Int) throws(FileSystemError) {
    if levels > 0, try fileSystem.status(of: path)?.kind == .directory {
      for name in try fileSystem.names(in: path) { try remove(path + "/" + name, levels: levels - 1) }
    }
    try fileSystem.remove(path)
  }
}

/// `demo --bug`: writes a long log in which a value becomes wrong once, and prints the commands that find the cause.
struct BugDemo {
  typealias Answer = (bug: BugStory, model: String, contents: BugLogContents, path: String, commands: [String])

  static let shape = AnswerShape<Answer>.object([
    .member("path", .file, \.path), .member("model", .text, \.model), .member("mended", .text, \.bug.mended),
    .member("actions", .count, \.contents.actionCount),
    .member("snapshots", .array(of: .revision), \.contents.snapshots),
    .member("pointer", .encoded(.pointer)) { answer in .string(answer.bug.pointer) },
    .member("wrong", .text, \.bug.wrong), .member("right", .text, \.bug.right),
    .member("commands", .texts, \.commands),
  ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let (model, (bug, write)) = try context.demoModel(
      with: "bug to find", registeredBy: ".model(…, bug:history:)", \.bug)
    guard let path = context.arguments.value(of: DemoCommand.keep), !path.isEmpty else {
      throw ToolFailure.usage(
        "--bug makes a log for you to ask, and needs a directory for it", advice: "Give --keep DIR.")
    }
    try DemoDirectory.checkFree(path, in: context.files)
    let progress = context.progress("recording", unit: .actions)
    let contents = try write(path, context.files) { done in
      try progress.update(done: done, total: nil)
    }
    try progress.finish()
    let commands = bug.commands(log: path).map(context.commandLine)
    try context.answer((bug, model.name, contents, path, commands), Self.shape) {
      if !context.isQuiet { try context.output.lines(page(bug, model, contents, path, commands)) }
    }
    return .success
  }

  private func page(
    _ bug: BugStory, _ model: RegisteredModel, _ contents: BugLogContents, _ path: String, _ commands: [String]
  ) -> [String] {
    let style = context.output.style
    let snapshots = contents.snapshots.map { revision in HumanText.count(revision) }.joined(separator: ", ")
    return [
      bug.complaint,
      "\(TerminalText.escaping(path)): \(HumanText.count(contents.actionCount, "action")) of '\(model.name)', with snapshots at "
        + "\(snapshots). Without the bug the model is '\(bug.mended)'.",
      "",
      style.bold("Find the action, what it takes, and what would have been"),
    ] + commands.map { line in "   " + TerminalText.escaping(line) } + [
      "\(BugStory.answer) is the revision that the first two commands find, \(BugStory.lead) one a little before it."
    ]
  }
}
