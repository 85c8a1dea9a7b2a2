package import ActionLog

/// The words of a user interface for the operations that messages refer to.
package struct MessageWording: Sendable {
  private enum Interface: Sendable {
    /// The program that runs, and the one with the commands for logs.
    case commandLine(own: String, logs: String)
    case inputs(ContextTool, tools: [ContextTool], program: String)
  }

  private let interface: Interface

  /// The words of the command line: a client of an application's commands has `action-log` for logs.
  static func commandLine(of tool: ActionLogTool) -> MessageWording {
    MessageWording(interface: .commandLine(own: tool.name, logs: tool.programSummary == nil ? tool.name : "action-log"))
  }

  /// The words for the client of a tool: inputs in place of options, tools in place of commands.
  static func inputs(of tool: ContextTool, among tools: [ContextTool], program: String) -> MessageWording {
    MessageWording(interface: .inputs(tool, tools: tools, program: program))
  }

  package static func inputs(ofToolNamed name: String) -> MessageWording? {
    ContextTool.named(name).map { tool in inputs(of: tool, among: ContextTool.all, program: "action-log") }
  }

  /// Returns the text of a failure or a warning. An option that the client of a tool lacks is named without dashes.
  package func message(_ text: MessageText) -> String {
    text.text { operation in words(for: operation) ?? operation.words.map(Self.plain).joined(separator: " ") }
  }

  /// Returns the text of advice, without sentences about what the client of a tool lacks; `nil` if nothing is left.
  package func advice(_ text: MessageText) -> String? {
    var sentences = [text.text(words)]
    if case .inputs(let tool, _, _) = interface, text.operations.contains(where: \.isHelp) {
      sentences.append("The inputs of \(tool.name) are \(tool.inputNames.joined(separator: ", ")).")
    }
    let advice = sentences.filter { sentence in !sentence.isEmpty }.joined(separator: " ")
    return advice.isEmpty ? nil : advice
  }

  func words(for operation: MessageText.Operation) -> String? {
    let line = operation.commandLine { path in ShellWord(path).description }
    switch interface {
    case .commandLine where operation.name == nil: return line
    case .commandLine(let own, let logs): return "'\(operation.isHelp ? own : logs) \(line)'"
    case .inputs where operation.isHelp: return nil
    case .inputs(let tool, let tools, let program):
      guard let name = operation.name else { return Self.inputs(operation.words[...], of: tool).first }
      // A command that no tool has is for the user.
      guard let other = tools.first(where: { tool in tool.command.name == name }) else {
        return "'\(program) \(line)'"
      }
      let inputs = Self.inputs(operation.words.dropFirst(), of: other)
      return inputs.isEmpty ? other.name : "\(other.name) with \(inputs.joined(separator: ", "))"
    }
  }

  /// The inputs of a tool with their values; options that it lacks are left out.
  private static func inputs(_ words: ArraySlice<MessageText.Operation.Word>, of tool: ContextTool) -> [String] {
    var arguments = tool.arguments.map(\.input)[...]
    return words.compactMap { word in
      guard let option = word.option else {
        return arguments.popFirst().map { input in [input, word.value ?? ""].joined(separator: " ") }
      }
      let input = tool.command.options.first { known in known.name == option }?.input ?? option
      guard tool.inputNames.contains(input) else { return nil }
      return [input, word.value].compactMap(\.self).joined(separator: " ")
    }
  }

  private static func plain(_ word: MessageText.Operation.Word) -> String {
    [word.option, word.value].compactMap(\.self).joined(separator: " ")
  }
}

extension MessageText.Operation {
  var isHelp: Bool {
    name == Command.help.name || words.contains { word in word.option == CommandOption.help.name }
  }
}

extension MessageText.Operation.Word {
  static func option(_ option: CommandOption, _ value: Self? = nil) -> Self { .option(option.name, value) }
}

extension MessageText.StringInterpolation {
  mutating func appendInterpolation(option: CommandOption, _ value: MessageText.Operation.Word? = nil) {
    appendInterpolation(.option(option.name, value))
  }

  mutating func appendInterpolation(command: Command, _ words: MessageText.Operation.Word...) {
    appendInterpolation(MessageText.Operation(command.name, words))
  }
}
