import ActionLog
import ActionLogTool

/// The output and exit of a command line.
struct CommandLineRun {
  let status: Int32
  let output: String
  let messages: String
}

extension ActionLogTool {
  /// The tool as the tests run it, without models.
  static let bare = ActionLogTool(version: "1.2.3", models: [])

  /// Runs a command line in this process.
  func run(
    _ arguments: String...,
    input: [String] = [],
    isTerminal: Bool = false,
    variables: [String: String] = [:],
    change: (inout ToolEnvironment) -> Void = { _ in }
  ) async -> CommandLineRun {
    await run(arguments, input: input, isTerminal: isTerminal, variables: variables, change: change)
  }

  /// Runs a command line in this process.
  func run(
    _ arguments: [String],
    input: [String] = [],
    isTerminal: Bool = false,
    variables: [String: String] = [:],
    change: (inout ToolEnvironment) -> Void = { _ in }
  ) async -> CommandLineRun {
    let output = MemoryOutput()
    let messages = MemoryOutput()
    var environment = ToolEnvironment(
      standardInput: MemoryInput(input),
      standardOutput: output,
      standardError: messages,
      temporaryDirectory: "/nowhere",
      fileSystem: POSIXFileSystem(),
      uptime: { .zero },
      pause: { _ in true }
    )
    environment.outputIsTerminal = isTerminal
    environment.errorIsTerminal = isTerminal
    environment.variables = variables
    change(&environment)
    let status = await run(arguments, environment: environment)
    return CommandLineRun(status: status, output: output.text, messages: messages.text)
  }
}
