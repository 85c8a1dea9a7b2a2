import Foundation
import JSONCoding
import TextDisplay
import TimeTravel

/// A failure as it is told on standard error: to people in up to two lines, to programs as one JSON object.
struct FailureReport: Sendable {
  private let failure: ToolFailure

  init(_ failure: ToolFailure) {
    self.failure = failure
  }

  func print(context: CommandContext) throws(ToolStreamError) {
    if context.isJSON {
      try context.messages.json(["error": json, "status": .integer(Int(failure.status.rawValue))])
      return
    }
    let style = context.messages.style
    let text = ([failure.message] + [failure.place].compactMap(\.self)).joined(separator: ": ")
    try context.messages.line(style.red("error: ") + TerminalText.escaping(text))
    for line in failure.excerpt { try context.messages.line("  " + line) }
    // The engine's own advice names the tool that it comes with; a program of other commands has to send people there.
    let name = context.tool.program == nil ? context.tool.name : "action-log"
    let advice = failure.advice?.replacingOccurrences(of: "'action-log ", with: "'\(name) ")
    if let advice { try context.messages.line(TerminalText.escaping(advice)) }
  }

  var json: JSONValue {
    var object: JSONObject = ["code": .string(failure.code), "message": .string(failure.message)]
    object["path"] = failure.path.map(JSONValue.string)
    object["line"] = failure.line.map(JSONValue.integer)
    object["byteOffset"] = failure.byteOffset.map(JSONValue.integer)
    object["seq"] = failure.seq.map(JSONValue.integer)
    object["advice"] = failure.advice.map(JSONValue.string)
    return .object(object)
  }
}
