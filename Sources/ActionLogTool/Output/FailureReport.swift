/// A failure as it is told on standard error: to people in up to two lines, to programs as one JSON object.
struct FailureReport: Sendable {
  private let failure: ToolFailure
  private let toolName: String

  init(_ failure: ToolFailure, toolName: String) {
    self.failure = failure
    self.toolName = toolName
  }

  func print(context: CommandContext) throws(ToolStreamError) {
    let style = context.messages.style
    let text = ([failure.message] + [failure.place].compactMap(\.self)).joined(separator: ": ")
    try context.messages.line(style.red("error: ") + TerminalText.escaped(text))
    if let advice = failure.advice { try context.messages.line(TerminalText.escaped(advice)) }
  }
}
