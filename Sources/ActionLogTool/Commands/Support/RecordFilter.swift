import ActionLog
import JSONCoding
import TimeTravel

/// Which records are meant, by what was asked for on the command line. A filter never renumbers.
struct RecordFilter {
  static let type = CommandOption.value(
    "type", letter: "t", "PATTERN", isRepeatable: true, "only types like ui.*, *.onAppear, or with this part: onAppear")
  static let actor = CommandOption.value("actor", "NAME", "only actions whose meta.actor is this")
  static let text = CommandOption.value("grep", letter: "g", "TEXT", "only actions whose data or meta hold this text")
  static let all = CommandOption.flag("all", letter: "a", "show control records (@open, @digest …) too")
  static let condition = CommandOption.value(
    "where", letter: "w", "CONDITION", "only actions for which this holds, for instance 'data/count > 3'")
  /// What leaves actions out.
  static let filters = [type, actor, text, condition]
  static let options = filters + [all]

  /// What a condition can be, for help.
  static let conditionForms = """
    A CONDITION of --where compares values of the action (type, seq, time, data/…, meta/…) with == != < <= > >=, contains,
    like "ui.*", exists, and joins with and, or, not. Quote it for the shell.
    """

  private let types: TypeFilter
  private let actor: String?
  private let text: [UInt8]?
  private let condition: Condition?
  /// The condition, if it looks at the action alone.
  private let question: RecordQuestion?
  let includesControl: Bool

  /// - Parameters:
  ///   - looksAtStates: Whether the command folds the actions for a condition that looks at states; ``matches(_:)`` then leaves that
  ///     condition out.
  ///   - includesControl: Whether control records are meant also without `--all`.
  /// - Throws: A condition that makes no sense, or that looks at more than the command does.
  init(_ arguments: ParsedArguments, looksAtStates: Bool = false, includesControl: Bool = false) throws {
    types = TypeFilter(arguments.values(of: Self.type))
    actor = arguments.value(of: Self.actor)
    text = arguments.value(of: Self.text).map { text in Array(text.utf8) }
    let condition = try Self.condition(arguments, looksAtStates: looksAtStates)
    self.condition = condition
    question = try condition.flatMap { condition in condition.asksForState ? nil : try RecordQuestion(condition) }
    self.includesControl = includesControl || arguments.has(Self.all)
  }

  /// The condition, if it looks at states.
  var stateCondition: Condition? { condition.flatMap { condition in condition.asksForState ? condition : nil } }

  func matches(_ record: LogRecord) throws -> Bool {
    if record.isControl, !includesControl { return false }
    guard types.matches(record.type) else { return false }
    if let text, record.dataBytes.indexOf(text) == nil, record.meta?.indexOf(text) == nil { return false }
    if let actor, try record.actor() != actor { return false }
    return try question?.holds(for: record) ?? true
  }

  /// What may be wrong with what was asked for, as the records show that came to it.
  var hints: [QuestionHint] { types.hints + (question?.hints ?? []) }

  /// The condition that is asked for, if it is one that the command looks at.
  static func condition(_ arguments: ParsedArguments, looksAtStates: Bool = false) throws -> Condition? {
    guard let condition = try arguments.value(of: condition).map({ text in try Condition(parsing: text) }) else {
      return nil
    }
    guard looksAtStates || !condition.asksForState else {
      throw ToolFailure.usage(
        "--where takes a condition on the action, and '\(condition)' looks at the state",
        advice: "'list', 'until' and 'watch' look at states.")
    }
    return condition
  }
}

extension LogRecord {
  /// Who did it, as its `meta` says.
  ///
  /// - Complexity: O(length of `meta`).
  func actor() throws(JSONError) -> String? {
    guard let meta, case .object(let object) = try JSONValue(parsing: meta), case .string(let actor)? = object["actor"]
    else { return nil }
    return actor
  }
}
