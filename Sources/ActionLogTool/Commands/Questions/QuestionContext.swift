import ActionLog
import EventSourcing
import JSONCoding
import TextDisplay
import TimeTravel

/// What the commands that ask a history have in common: reading pointers and conditions, and telling answers.
extension CommandContext {
  /// What a condition can be, for help.
  static let conditionForms = """
    A condition compares values of the state, named by JSON Pointers (/animals/data/Dog/name), and of the action that led to
    it (type, seq, time, data/…, meta/…) with == != < <= > >=, contains, like "ui.*", exists, changed, and joins with and, or,
    not. count(/animals/data) counts. Quote it for the shell.
    """

  /// The JSON Pointer at a place of the command line.
  func pointerArgument(_ index: Int) throws(ToolFailure) -> JSONPointer {
    try pointer(arguments.positionals[index])
  }

  /// The condition at a place of the command line.
  func conditionArgument(_ index: Int) throws(TimeTravelError) -> Condition {
    try Condition(parsing: arguments.positionals[index])
  }

  /// Asks a history, and shows progress meanwhile.
  func ask<Answer>(_ question: (ReplayOptions) throws -> Answer) throws -> Answer {
    let progress = progress("replaying", unit: .actions)
    let answer = try question(replayOptions(progress))
    try progress.finish()
    return answer
  }

  /// Says what an answer took.
  ///
  /// - Parameter states: How many states were looked at, where the answer counts them itself.
  func remark(on work: QuestionWork, states: Int? = nil) throws {
    let snapshots = work.snapshotsLoaded > 0 ? " from \(HumanText.count(work.snapshotsLoaded, "snapshot"))" : ""
    try remark(
      "\(HumanText.count(work.actionsFolded, "action")) folded\(snapshots), "
        + "\(HumanText.count(states ?? work.statesVisited, "state")) looked at")
  }

  /// Says what may be wrong with a question, as what was looked at shows.
  ///
  /// - Parameter revision: One of the states that were looked at.
  func remarkOnHints(of work: QuestionWork, in history: any HistoryHandle, at revision: Int) throws {
    guard !isQuiet else { return }
    try remark(on: work.hints { try replay(history, to: revision).tree })
  }

  /// Says what may be wrong with a question.
  func remark(on hints: [QuestionHint]) throws(ToolStreamError) {
    for hint in hints { try self.hint(hint.headline, excerpt: hint.excerpt) }
  }

  /// Prints one record as a list prints it.
  func printRecord(_ record: LogRecord) throws {
    var printer = RecordPrinter(self)
    try printer.print(record)
    try printer.finish()
  }

  /// A value for people, in one line; nothing there is said in words.
  func text(_ value: JSONValue?, limit: Int = .max) -> String {
    guard let value else { return output.style.dim("nothing") }
    let text = TerminalText.escaping(value.description)
    return text.count <= limit ? text : text.prefix(max(1, limit - 1)) + "…"
  }
}

extension QuestionWork {
  /// The members that programs get.
  var json: JSONObject {
    [
      "actionsFolded": .integer(actionsFolded), "statesVisited": .integer(statesVisited),
      "snapshotsLoaded": .integer(snapshotsLoaded), "bytesRead": .integer(bytesRead),
    ]
  }
}

extension ValueChange {
  /// What programs get of a change.
  func json() throws(JSONError) -> JSONObject {
    var object = try RecordText.json(record)
    object["pointer"] = .string(pointer.description)
    object["change"] = .string(kind.rawValue)
    object["old"] = old
    object["new"] = new
    return object
  }
}
