import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

/// What a running command has at hand: its arguments, the models, and the ways in and out.
package struct CommandContext: Sendable {
  let tool: ActionLogTool
  package let arguments: ParsedArguments
  package let environment: ToolEnvironment
  /// Data.
  package let output: Printer
  /// Messages.
  package let messages: Printer
  /// Debug lines of the program's listeners.
  let debugLines: DebugLines

  init(tool: ActionLogTool, arguments: ParsedArguments, environment: ToolEnvironment) {
    self.tool = tool
    self.arguments = arguments
    self.environment = environment
    self.debugLines = DebugLines(environment)
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
  var parser: ArgumentParser { ArgumentParser(toolName: tool.name, commands: tool.commands) }

  /// Whether programs read the output.
  package var isJSON: Bool { arguments.has(.json) }

  /// Whether remarks and progress are unwanted.
  package var isQuiet: Bool { arguments.has(.quiet) }

  /// Prints something worth knowing that is not data; not with `--quiet`, and not to programs.
  package func note(_ text: String) throws(ToolStreamError) {
    guard !isQuiet, !isJSON else { return }
    try messages.line(messages.style.dim(TerminalText.escaping(text)))
  }

  /// Prints what may be wrong with the question, and below it the character that it is about; not with `--quiet`.
  func hint(_ text: String, excerpt: ConditionExcerpt? = nil) throws(ToolStreamError) {
    guard !isQuiet else { return }
    guard isJSON else {
      try note(text)
      for line in excerpt?.lines ?? [] { try messages.line(messages.style.dim("  " + line)) }
      return
    }
    var object: JSONObject = ["warning": .string(text)]
    object["condition"] = excerpt.map { excerpt in .string(excerpt.text) }
    object["offset"] = excerpt.map { excerpt in .integer(excerpt.offset) }
    try messages.json(.object(object))
  }

  /// Prints something that the person should act upon, whatever `--quiet` says.
  package func warn(_ text: String) throws(ToolStreamError) {
    if isJSON {
      try messages.json(["warning": .string(text)])
    } else {
      try messages.line(messages.style.yellow("warning: ") + TerminalText.escaping(text))
    }
  }

  /// The progress of a job that may be long.
  func progress(_ label: String, unit: ProgressLine.Unit) -> ProgressLine {
    let printer = Printer(environment.standardError, isTerminal: messages.isTerminal, style: messages.style)
    let line = ProgressLine(
      label, unit: unit, printer: printer, isQuiet: isQuiet, isJSON: isJSON, uptime: environment.uptime)
    // What is printed on the same terminal, an error not least, begins on a line of its own.
    messages.beforePrinting { () throws(ToolStreamError) in try line.finish() }
    if output.isTerminal { output.beforePrinting { () throws(ToolStreamError) in try line.finish() } }
    return line
  }

  /// Hands everything printed to the streams.
  package func flush() throws(ToolStreamError) {
    try output.flush()
    try messages.flush()
  }
}

extension CommandContext {
  /// Where lines of a table are cut: at the width of the terminal, or where `COLUMNS` says; a pipe gets all.
  package var outputColumns: Int? {
    if let columns = environment.variables["COLUMNS"].flatMap({ text in Int(text) }), columns > 0 {
      return min(columns, Self.columnLimit)
    }
    return environment.outputIsTerminal ? environment.terminal?.size.columns : nil
  }

  /// No terminal is wider: its size has 16 bits for it.
  private static let columnLimit = Int(UInt16.max)

  /// Tells of a torn tail, which is no damage and no reason to stop.
  func warnOfTornTail(_ ending: LogEnding?) throws(ToolStreamError) {
    guard case .torn(let bytes, let place)? = ending else { return }
    try warn(
      "the log ends in a torn tail of \(HumanText.count(bytes, "byte")): \(place.path), byte \(place.byteOffset). "
        + "The next writer cuts it off; '\(tool.name) repair' does so now.")
  }
}
