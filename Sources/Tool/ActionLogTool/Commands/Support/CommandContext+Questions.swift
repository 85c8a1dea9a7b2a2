import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension CommandContext {
  static let conditionForms = """
    A condition compares values of the state, named by JSON Pointers (/animals/data/Dog/name), and of the action that led to
    it (type, seq, time, data/…, meta/…) with == != < <= > >=, contains, like "ui.*", exists, changed, joined by and, or,
    not. count(/animals/data) counts. Decimals, which JSON holds as strings, compare with numbers. Quote it for the shell.
    """

  func pointerArgument(_ index: Int) throws(ToolFailure) -> JSONPointer {
    try pointer(arguments.positionals[index])
  }

  func conditionArgument(_ index: Int) throws(TimeTravelError) -> Condition {
    try Condition(parsing: arguments.positionals[index])
  }

  func ask<Answer>(as label: String = "replaying", _ question: (ReplayOptions) throws -> Answer) throws -> Answer {
    let progress = progress(label, unit: .actions)
    let answer = try question(replayOptions(progress))
    try progress.finish()
    return answer
  }

  /// - Parameter states: The number of states read, if the answer counts them itself.
  func note(on work: QuestionWork, states: Int? = nil) throws {
    try warnOfRefusals()
    let snapshots = work.snapshotsLoaded > 0 ? " from \(HumanText.count(work.snapshotsLoaded, "snapshot"))" : ""
    try note(
      "\(HumanText.count(work.actionsFolded, "action")) folded\(snapshots), "
        + "\(HumanText.count(states ?? work.statesVisited, "state")) read"
        + (work.actionsIndexed > 0
          ? "; \(HumanText.count(work.actionsIndexed, "action")) indexed for later questions" : ""))
  }

  func printHints(of work: QuestionWork) throws {
    // With a missing value they take as long as encoding the state.
    guard !isQuiet else { return }
    try printHints(work.allHints())
  }

  func printHints(_ hints: [QuestionHint]) throws(ToolStreamError) {
    for hint in hints { try self.hint(hint.text) }
  }

  /// The values that a condition reads at the end of a search, for an answer that it holds nowhere.
  func endValues(
    of condition: Condition, from work: QuestionWork
  ) throws -> [(pointer: JSONPointer, value: JSONValue)] {
    guard isJSON || !isQuiet else { return [] }
    return try work.endValues(at: Array(condition.pointers.prefix(Self.shownValues)))
  }

  /// Values as one line: `/value is 3, /items is an array of 12 elements`.
  func text(_ values: [(pointer: JSONPointer, value: JSONValue)]) -> String {
    values.map { pointer, value in
      let summary =
        switch value {
        case .object(let object): "an object of \(HumanText.count(object.count, "member"))"
        case .array(let elements): "an array of \(HumanText.count(elements.count, "element"))"
        case .null, .bool, .number, .string: text(value, limit: Self.shownCharacters)
        }
      return "\(pointer) is \(summary)"
    }.joined(separator: ", ")
  }

  func printRecord(_ record: LogRecord) throws {
    var printer = RecordPrinter(self)
    try printer.print(record)
    try printer.finish()
  }

  /// A value as one line of text without colors, so that it can be a cell of a table.
  func text(_ value: JSONValue?, limit: Int = .max) -> String {
    guard let value else { return "nothing" }
    let beginning = TerminalText.beginning(of: value.description, characters: limit)
    let text = TerminalText.escaping(String(beginning.text))
    return beginning.isComplete && text.count <= limit ? text : text.prefix(max(1, limit - 1)) + "…"
  }

  private static let shownValues = 8
  /// The number of changes inside a value to print; the rest is counted.
  private static let shownChanges = 3
  private static let shownCharacters = 200

  /// A change of a value as one line: the old and new values, or, for a large dictionary, the changes inside.
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
