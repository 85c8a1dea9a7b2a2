import ActionLog
import ImmutableData
import JSONCoding
import Platform

/// The command line for logs of any models, as a library.
///
/// A tool for an application's own models is a `main.swift` of a few lines:
///
/// ```swift
/// import ActionLogTool
/// import EventSourcing
///
/// await ActionLogTool(name: "my-tool", models: [.model(MyModel.self)]).main()
/// ```
///
/// Data goes to standard output and messages go to standard error. The exit status is 0 on success, 1 for a negative
/// answer, 2 for a usage error, 3 for an error of the environment, 4 if another writer holds the log, and 5 if the
/// input exceeds a limit.
public struct ActionLogTool: Sendable {
  /// The name of the tool in its messages.
  public let name: String
  /// The tool's version.
  public let version: String
  /// The models whose logs the tool can replay and record, and the model `patched` of logs of other programs.
  public let models: [RegisteredModel]
  /// The summary of a program with its own commands; `nil` for a tool for logs.
  let programSummary: String?
  /// The available commands: `demo` only if a model has a story or a bug.
  package let commands: [Command]

  /// Creates a tool for logs.
  ///
  /// - Parameters:
  ///   - name: The name of the tool in its messages, best the name of the executable.
  ///   - version: The tool's version, any text.
  ///   - models: The models that it knows. Two models of the same name, or one with the name `patched`, are a programmer error.
  public init(name: String = "action-log", version: String = "1.0.0", models: [RegisteredModel]) {
    self.init(name: name, version: version, models: models, questions: [])
  }

  /// Creates a tool for logs with questions of its own.
  package init(
    name: String = "action-log", version: String = "1.0.0", models: [RegisteredModel], questions: [Command]
  ) {
    let models = models + [.patched]
    precondition(Set(models.map(\.name)).count == models.count, "each model is registered once")
    self.name = name
    self.version = version
    self.models = models
    self.programSummary = nil
    let hasDemo = models.contains { model in model.bug != nil || model.stories.contains { story in story.name == nil } }
    commands = CommandTable.all(with: questions).filter { command in hasDemo || command.name != Command.demo.name }
  }

  package func run(_ arguments: [String], environment: ToolEnvironment) async -> Int32 {
    // Until the arguments are parsed, only a scan of the words can find the options for errors.
    var context = CommandContext(tool: self, arguments: .lenient(arguments), environment: environment)
    var running: Command?
    do {
      var words = arguments
      let flags = programSummary == nil ? LaunchFlags() : try LaunchFlags(removingFrom: &words)
      let request = try context.parser.parse(commandLine(words))
      context = CommandContext(tool: self, arguments: request.arguments, environment: environment)
      if case .run(let command, _) = request { running = command }
      let status = try await perform(request, flags, context: context)
      try await BlockingWork.run { [context] in try context.flush() }
      return status.rawValue
    } catch {
      return await report(error, of: running, context: context)
    }
  }

  /// Runs a command with parsed arguments.
  func run(_ command: Command, _ arguments: ParsedArguments, environment: ToolEnvironment) async -> Int32 {
    let context = CommandContext(tool: self, arguments: arguments, environment: environment)
    do {
      let status = try await perform(.run(command, arguments), LaunchFlags(), context: context)
      try context.flush()
      return status.rawValue
    } catch {
      return await report(error, of: command, context: context)
    }
  }

  /// Reports an error that was found before the command line was parsed.
  func reject(_ failure: ToolFailure, of arguments: [String], environment: ToolEnvironment) async -> Int32 {
    await report(
      failure, of: nil, context: CommandContext(tool: self, arguments: .lenient(arguments), environment: environment))
  }

  /// Reports an error on the current thread, for a process that cannot start another one.
  func reportOnCurrentThread(
    _ failure: ToolFailure, of arguments: [String], environment: ToolEnvironment
  ) -> Int32 {
    let context = CommandContext(tool: self, arguments: .lenient(arguments), environment: environment)
    do {
      try FailureReport.print(failure, context)
      try context.messages.flush()
    } catch {
      // Standard error is closed: only the exit status is left.
    }
    return failure.status.rawValue
  }

  private func perform(
    _ request: ArgumentParser.Request, _ flags: LaunchFlags, context: CommandContext
  ) async throws -> ExitStatus {
    switch request {
    case .overview:
      try printOverview(context: context, isComplete: context.arguments.has(.help))
      return .success
    case .version:
      try printVersion(context: context)
      return .success
    case .help(let command, _):
      try printHelp(for: command, context: context)
      return .success
    case .run(let command, _):
      do {
        if let note = flags.note { try context.note("\(note)") }
        return try await DebugOutput.$current.withValue(context.debugOutput(flags)) {
          try bound(context, by: command)
          let status: ExitStatus
          do { status = try await command.body(context) } catch {
            // What was printed before the error is not all of the answer, and a full answer says so.
            if context.output.boundedAnswer?.isFull == true {
              try await BlockingWork.run { try context.output.endAnswer() }
            }
            throw error
          }
          if context.cacheFailure.withLock({ error in error != nil }) {
            try await BlockingWork.run { try context.noteCacheFailure() }
          }
          if context.output.boundedAnswer != nil { try await BlockingWork.run { try context.output.endAnswer() } }
          return status
        }
      } catch let failure as ToolFailure where failure.status == .usage {
        throw failure.advisingHelp(on: command)
      }
    }
  }

  /// Applies the options that bound the command's answer.
  private func bound(_ context: CommandContext, by command: Command) throws(ToolFailure) {
    guard let form = command.answer else { return }
    let ownLimit = !command.options.contains(.limitItems)
    let size = context.environment.answerSize
    if let answer = try BoundedAnswer(form, context.arguments, ownLimit: ownLimit, size: size) {
      context.output.begin(answer)
    }
  }

  /// Reports an error and returns the exit status. A closed standard output is a success, and is not reported.
  private func report(_ error: any Error, of command: Command?, context: CommandContext) async -> Int32 {
    if case ToolStreamError.closed = error {
      // The progress of the job may be on the terminal.
      do { try context.endProgress() } catch {}
      return ExitStatus.success.rawValue
    }
    var failure = ToolFailure(any: error)
    do {
      failure = await BlockingWork.run { [failure] in
        failure.namingLogs(LogLocator(context), for: command)
      }
      try await BlockingWork.run { [failure] in
        // The output printed before the failure is valid, and comes first.
        do { try context.output.flush() } catch ToolStreamError.closed {}
        try context.endProgress()
        try context.warnOfRefusals()
        try FailureReport.print(failure, context)
        try context.messages.flush()
      }
    } catch {
      // Standard error is closed: only the exit status is left.
    }
    return failure.status.rawValue
  }
}

extension ActionLogTool {
  /// - Parameter isComplete: Whether each command has a line.
  func printOverview(context: CommandContext, isComplete: Bool = true) throws(ToolStreamError) {
    let page = HelpPage(context)
    let own = isComplete ? page.overview(commands) : page.summary(of: commands)
    try context.output.lines(programSummary.map { summary in page.overview(commands, of: summary) } ?? own)
  }

  func printHelp(for command: Command, context: CommandContext) throws(ToolStreamError) {
    try context.output.lines(HelpPage(context).page(command))
  }

  func printVersion(context: CommandContext) throws {
    try context.answer(self, Self.versionShape) { try context.output.line("\(name) \(version) (actionlog/1)") }
  }

  static let versionShape = AnswerShape<ActionLogTool>.object(
    "One object.",
    [
      .member("name", .text, \.name), .member("version", .text, \.version),
      .member(
        "format", AnswerShape(AnswerSchema(["const": "actionlog/1"]), JSONValue.string), { _ in "actionlog/1" }),
    ])
}
