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
    not. count(/animals/data) counts. Decimals, which JSON holds as strings, compare with numbers. Quote it for the shell.
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
    let beginning = TerminalText.beginning(of: value.description, characters: limit)
    let text = TerminalText.escaping(String(beginning.text))
    return beginning.isComplete && text.count <= limit ? text : text.prefix(max(1, limit - 1)) + "…"
  }

  /// More changes inside a value are counted.
  private static let shownChanges = 3
  /// More characters of a value inside of another are cut.
  private static let shownCharacters = 200

  /// A change of a value, in one line: the value before and after, or, of one with a large dictionary, what changed inside.
  func text(_ change: ValueChange) -> String {
    guard let changes = change.difference?.changes else { return "\(text(change.old)) → \(text(change.new))" }
    let shown = changes.prefix(Self.shownChanges).map { change in
      let place = TerminalText.escaping(change.pointer.description)
      let (old, new) = (
        text(change.old, limit: Self.shownCharacters), text(change.new, limit: Self.shownCharacters)
      )
      return switch change.kind {
      case .added: "+ \(place): \(new)"
      case .removed: "- \(place): \(old)"
      case .changed: "~ \(place): \(old) → \(new)"
      }
    }
    let rest = changes.count - shown.count
    return (shown + (rest > 0 ? ["… \(HumanText.count(rest, "more change"))"] : [])).joined(separator: "; ")
  }
}

extension QuestionWork {
  /// The members that programs get.
  var json: JSONObject {
    [
      "actionsFolded": .integer(actionsFolded), "statesVisited": .integer(statesVisited),
      "snapshotsLoaded": .integer(snapshotsLoaded), "bytesRead": .integer(bytesRead),
      "bytesEncoded": .integer(bytesEncoded),
    ]
  }
}

extension ValueChange {
  /// What programs get of a change.
  ///
  /// - Parameter isBrief: Whether a JSON Patch stands for the values, where they have a large dictionary: a list of many changes would
  ///   repeat it in each.
  func json(isBrief: Bool = false) throws(JSONError) -> JSONObject {
    var object = try RecordText.json(record)
    object["pointer"] = .string(pointer.description)
    object["change"] = .string(kind.rawValue)
    if isBrief, let difference {
      object["changes"] = difference.jsonPatch().document
    } else {
      object["old"] = old
      object["new"] = new
    }
    return object
  }
}
