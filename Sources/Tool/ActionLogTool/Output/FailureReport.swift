import ActionLog
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
    if context.tool.program != nil, let failure = failure.namingTheLog {
      return try FailureReport(failure).printAsItIs(context)
    }
    try printAsItIs(context)
  }

  private func printAsItIs(_ context: CommandContext) throws(ToolStreamError) {
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

  /// What is told to programs.
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

extension ToolFailure {
  /// The same failure with commands that can be typed as they stand; `nil` unless a log is damaged.
  ///
  /// Who runs `action-log` has just typed the path of the log. Who runs an application may never have heard of it.
  fileprivate var namingTheLog: ToolFailure? {
    guard code == LogError.Code.damaged.rawValue, let path else { return nil }
    // Damage is in a file of the log, mostly.
    let isFile = path.hasSuffix(".jsonl") || path.hasSuffix("/HEAD")
    let log = ShellWord(isFile ? LogPlaces.folder(above: path) : path)
    let isGood = (advice ?? "").replacingOccurrences(of: "Run 'action-log verify' for the full report.", with: "")
    let whatToDo = [
      "Run 'action-log verify \(log)' for the full report,",
      "'action-log salvage \(log) NEW' to save what is good as a new log; the damaged one is not touched.",
    ]
    var copy = self
    copy.advice = ([isGood.trimmingCharacters(in: .whitespaces)] + whatToDo).joined(separator: " ")
      .trimmingCharacters(in: .whitespaces)
    return copy
  }
}
