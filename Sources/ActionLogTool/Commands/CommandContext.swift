import ActionLog

/// What a running command has at hand: its arguments, the models, and the ways in and out.
struct CommandContext: Sendable {
  let tool: ActionLogTool
  let arguments: ParsedArguments
  let environment: ToolEnvironment
  /// Data.
  let output: Printer
  /// Messages.
  let messages: Printer

  init(tool: ActionLogTool, arguments: ParsedArguments, environment: ToolEnvironment) {
    self.tool = tool
    self.arguments = arguments
    self.environment = environment
    self.output = Printer(
      environment.standardOutput,
      isTerminal: environment.outputIsTerminal,
      style: Style(
        isTerminal: environment.outputIsTerminal, variables: environment.variables,
        isRefused: arguments.has(.noColor)))
    self.messages = Printer(
      environment.standardError,
      isTerminal: environment.errorIsTerminal,
      style: Style(
        isTerminal: environment.errorIsTerminal, variables: environment.variables,
        isRefused: arguments.has(.noColor)))
  }

  /// The parser of the tool's command lines.
  var parser: ArgumentParser { ArgumentParser(toolName: tool.name, commands: CommandTable.all) }

  /// Whether programs read the output.
  var isJSON: Bool { arguments.has(.json) }

  /// Whether remarks and progress are unwanted.
  var isQuiet: Bool { arguments.has(.quiet) }

  /// Prints something worth knowing that is not data; not with `--quiet`.
  func remark(_ text: String) throws(ToolStreamError) {
    guard !isQuiet else { return }
    try messages.line(messages.style.dim(TerminalText.escaped(text, keepsLayout: true)))
  }

  /// Prints something that the person should act upon, whatever `--quiet` says.
  func warn(_ text: String) throws(ToolStreamError) {
    try messages.line(
      messages.style.yellow("warning: ") + TerminalText.escaped(text, keepsLayout: true))
  }

  /// A line of progress for a job that may be long.
  func progress(_ label: String, unit: ProgressLine.Unit) -> ProgressLine {
    ProgressLine(label, unit: unit, printer: messages, isQuiet: isQuiet, uptime: environment.uptime)
  }

  /// Hands everything printed to the streams.
  func flush() throws(ToolStreamError) {
    try output.flush()
    try messages.flush()
  }
}
