import ActionLog
import ImmutableData
import JSONCoding

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
/// Data goes to standard output, messages go to standard error, and the exit status is 0 when all is fine, 1 for a
/// negative answer, 2 for a wrong call, 3 when the world said no, 4 when another writer holds the log, 5 when the input
/// is beyond a limit.
public struct ActionLogTool: Sendable {
  /// What the tool is called in its own messages.
  public let name: String
  /// The tool's version.
  public let version: String
  /// The models whose logs the tool can replay and record.
  public let models: [RegisteredModel]
  /// What the tool does instead, when it is no tool for logs.
  let program: ToolProgram?

  /// Makes a tool.
  ///
  /// - Parameters:
  ///   - name: What the tool is called in its own messages; best the name of the executable.
  ///   - version: The tool's version, any text.
  ///   - models: The models it knows. Two models of one name are a programmer error.
  public init(name: String = "action-log", version: String = "1.0.0", models: [RegisteredModel]) {
    precondition(Set(models.map(\.name)).count == models.count, "each model is registered once")
    self.name = name
    self.version = version
    self.models = models
    self.program = nil
  }

  /// Makes the tool that runs a program.
  init(_ program: ToolProgram) {
    self.name = program.name
    self.version = "1.0.0"
    self.models = []
    self.program = program
  }

  /// Runs one command line.
  ///
  /// - Parameters:
  ///   - arguments: The words after the tool's name.
  ///   - environment: Where input, output and everything else comes from and goes to.
  /// - Returns: The exit status.
  public func run(_ arguments: [String], environment: ToolEnvironment) async -> Int32 {
    // Until the line is understood, only a look at its words says how errors are wanted.
    var context = CommandContext(tool: self, arguments: .lenient(arguments), environment: environment)
    do {
      let status: ExitStatus
      var words = arguments
      let flags = program == nil ? LaunchFlags() : try LaunchFlags(removingFrom: &words)
      let request = try context.parser.parse(program?.words(words) ?? words)
      context = CommandContext(tool: self, arguments: request.arguments, environment: environment)
      status = try await perform(request, flags, context: context)
      try await flush(context)
      return status.rawValue
    } catch {
      return await report(error, context: context)
    }
  }

  /// Refuses a command line before it is looked at.
  ///
  /// - Returns: The exit status.
  func refuse(_ failure: ToolFailure, of arguments: [String], environment: ToolEnvironment) async -> Int32 {
    await report(failure, context: CommandContext(tool: self, arguments: .lenient(arguments), environment: environment))
  }

  /// Refuses to do anything, on the thread of the caller.
  ///
  /// - Returns: The exit status.
  func refuseAtOnce(_ failure: ToolFailure, of arguments: [String], environment: ToolEnvironment) -> Int32 {
    let context = CommandContext(tool: self, arguments: .lenient(arguments), environment: environment)
    do {
      try FailureReport(failure).print(context: context)
      try context.messages.flush()
    } catch {
      // Nobody hears: the exit status is all that is left to tell with.
    }
    return failure.status.rawValue
  }

  private func perform(
    _ request: ArgumentParser.Request, _ flags: LaunchFlags, context: CommandContext
  ) async throws -> ExitStatus {
    switch request {
    case .overview:
      try printOverview(context: context)
      return .success
    case .version:
      try printVersion(context: context)
      return .success
    case .help(let command, _):
      try printHelp(for: command, context: context)
      return .success
    case .run(let command, _):
      do {
        if let remark = flags.remark { try context.remark(remark) }
        return try await DebugOutput.$current.withValue(context.debugLines.output(flags)) {
          try await command.body(context)
        }
      } catch let failure as ToolFailure where failure.status == .usage {
        throw failure.advised("Run '\(command.title(after: name)) --help' for how to use it.")
      }
    }
  }

  /// Tells what went wrong and finds the exit status. A reader that went away is not told anything.
  private func report(_ error: any Error, context: CommandContext) async -> Int32 {
    if case ToolStreamError.closed = error { return ExitStatus.success.rawValue }
    var failure = ToolFailure(any: error)
    do {
      failure = await OffPool.run { [failure] in failure.namingLogs(LogPlaces(context)) }
      try await OffPool.run { [failure] in
        // What was printed before the failure is good, and comes first.
        do { try context.output.flush() } catch ToolStreamError.closed {}
        try FailureReport(failure).print(context: context)
        try context.messages.flush()
      }
    } catch {
      // Nobody hears: the exit status is all that is left to tell with.
    }
    return failure.status.rawValue
  }

  private func flush(_ context: CommandContext) async throws {
    try await OffPool.run { try context.flush() }
  }
}

extension ActionLogTool {
  /// The commands that can do something here: `demo` needs a model that has a story or a bug.
  var commands: [Command] {
    if let program { return program.commands }
    let hasDemo = models.contains { model in model.handle.hasStory || model.handle.bug != nil }
    return CommandTable.all.filter { command in hasDemo || command.name != Command.demo.name }
  }

  func printOverview(context: CommandContext) throws(ToolStreamError) {
    let page = HelpPage(toolName: name, style: context.output.style, columns: context.outputColumns)
    try context.output.lines(program.map { program in page.overview(of: program) } ?? page.overview(commands))
  }

  func printHelp(for command: Command, context: CommandContext) throws(ToolStreamError) {
    let page = HelpPage(toolName: name, style: context.output.style, columns: context.outputColumns)
    try context.output.lines(page.page(command))
  }

  func printVersion(context: CommandContext) throws(ToolStreamError) {
    if context.isJSON {
      try context.output.json(["name": .string(name), "version": .string(version), "format": "actionlog/1"])
    } else {
      try context.output.line("\(name) \(version) (actionlog/1)")
    }
  }
}
