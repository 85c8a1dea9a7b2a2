public import ActionLog
public import JSONCoding

/// A condition over a state and the action that led to it, as people write it: `/counter/value > 10 and type like "ui.*"`.
///
/// | written | means |
/// |---|---|
/// | `/animals/data/Dog/name` | the value at a place of the state, a JSON Pointer; `'/a place'` in single quotes; `''` is the whole state |
/// | `type`, `seq`, `time` | of the action that led to the state |
/// | `data/animalId`, `meta/actor` | a value of the action, or of the remarks on it |
/// | `count(/animals/data)` | how many elements, members or characters a value has |
/// | `"Dog"`, `12.5`, `true`, `false`, `null` | a value as JSON writes it |
/// | `==` `!=` `<` `<=` `>` `>=` | compared by value: `1` equals `1.0`, strings go by their code points, times by the clock; see below for decimals |
/// | `a contains b` | a string has a part, an array an element, an object a member of that name |
/// | `a like "ui.*"` | a string matches a pattern: `*` is any text, `?` one character |
/// | `a exists` | there is a value, even `null` |
/// | `a changed` | the value is another one than before the action, appearing and vanishing included |
/// | `not`, `and`, `or`, `( )` | in this order of strength; a value by itself holds when it is `true` |
///
/// A value that does not exist differs from every value and is neither less nor greater; so do values of two kinds.
///
/// A `Decimal` is a string in JSON. A string that holds a number compares with a number as a number: `/turnover/eur > 1000000`. Two such
/// strings are in the order of their numbers, so `> "1000000"` means the same; they are equal only if their texts are.
///
/// A value in a dictionary whose keys are not strings has a place by its key: `/orders/4C1D…/status`; see ``StateTree``.
public struct Condition: Hashable, Sendable {
  /// The condition as it was written.
  public let text: String

  let root: ConditionNode

  /// Reads a condition.
  ///
  /// - Throws: ``TimeTravelError/Code/invalidCondition`` with the character at which the text stops making sense, and what was
  ///   expected there.
  /// - Complexity: O(length).
  public init(parsing text: String) throws(TimeTravelError) {
    var parser = try ConditionParser(text)
    self.root = try parser.parse()
    self.text = text
  }

  /// The places of the state that are looked at, each once.
  public var pointers: [JSONPointer] { uses.pointers }

  /// Whether the action that led to a state is looked at, so that no state answers by itself.
  public var asksForAction: Bool { uses.asksForAction }

  /// Whether the state before is looked at, so that no state answers by itself.
  public var asksForChange: Bool { uses.asksForChange }

  /// What is looked at.
  var uses: ConditionUses { ConditionUses(root) }
}

extension Condition: CustomStringConvertible {
  /// The condition as it was written.
  public var description: String { text }
}

extension Condition {
  /// Whether the state is looked at, so that no record answers by itself.
  public var asksForState: Bool { !pointers.isEmpty || asksForChange }

  /// Says whether a condition over the action alone holds for a record; ``RecordQuestion`` asks it of many.
  ///
  /// - Parameter record: An action or a control record; nothing is folded.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that looks at the state or at what changed.
  /// - Complexity: O(length of the record).
  public func holds(for record: LogRecord) throws -> Bool {
    try RecordQuestion(self).holds(for: record)
  }
}

extension Condition {
  /// Says whether a condition over the state alone holds in a state.
  ///
  /// - Parameter state: A state of any model.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that looks at the action or at what changed; what the state's
  ///   coding throws.
  /// - Complexity: O(members on the way to each place that is looked at + size of the values there).
  public func holds(in state: some Encodable & SendableMetatype) throws -> Bool {
    try requireState()
    return try ConditionEvaluator(self).holds(at: state)
  }

  /// Evaluates a condition over the state alone, and finds what may be wrong with one that does not hold.
  ///
  /// - Throws: As ``holds(in:)``.
  /// - Complexity: That of ``holds(in:)``, and O(size of the state) for a pointer at which the state has nothing.
  package func evaluated<State: Encodable & SendableMetatype>(
    in state: State
  ) throws -> (holds: Bool, hints: [QuestionHint]) {
    try requireState()
    let evaluator = ConditionEvaluator<State>(self)
    guard try !evaluator.holds(at: state) else { return (true, []) }
    var work = QuestionWork()
    work.emptyPlaces = evaluator.emptyPlaces
    work.hints = evaluator.hints
    return (false, try work.hints { try StateTree(encoding: state) })
  }

  /// Refuses a condition that no state answers by itself.
  package func requireState() throws(TimeTravelError) {
    guard !asksForAction, !asksForChange else {
      throw TimeTravelError(
        .unanswerable,
        "a condition over the state alone is needed, and '\(self)' looks at the action or at what changed")
    }
  }
}

/// A condition over actions alone, asked of one record after the other; nothing is folded.
///
/// It knows afterwards what may be wrong with the condition. It is a class of its own and is not shared between threads.
public final class RecordQuestion {
  /// The condition.
  public let condition: Condition

  private let evaluator: ConditionEvaluator<NoState>

  /// Makes a question.
  ///
  /// - Parameter condition: A condition that looks at the action alone.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that looks at the state or at what changed.
  public init(_ condition: Condition) throws(TimeTravelError) {
    guard !condition.asksForState else {
      throw TimeTravelError(.unanswerable, "'\(condition)' looks at the state, which a record does not hold")
    }
    self.condition = condition
    evaluator = ConditionEvaluator(condition)
  }

  /// Says whether the condition holds for a record.
  ///
  /// - Parameter record: An action or a control record.
  /// - Throws: `JSONError`, for a record that was not read from a log.
  /// - Complexity: O(length of the record).
  public func holds(for record: LogRecord) throws -> Bool {
    try evaluator.holds(at: NoState(), after: record)
  }

  /// What may be wrong with the condition, as the records that were looked at show.
  public var hints: [QuestionHint] { evaluator.hints }
}

/// What stands for a state where none is looked at.
private struct NoState: Encodable {}

/// A condition, parsed.
indirect enum ConditionNode: Hashable, Sendable {
  case and(ConditionNode, ConditionNode)
  case or(ConditionNode, ConditionNode)
  case not(ConditionNode)
  case test(ConditionTest)
}

/// What a comparison compares by.
enum ConditionOperator: String, Hashable, Sendable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case lessOrEqual = "<="
  case greaterOrEqual = ">="
  case less = "<"
  case greater = ">"

  /// Whether an order of two values satisfies it; `nil` is that of values that have no order among each other.
  func holds(_ order: ValueOrder?) -> Bool {
    switch self {
    case .equal: order == .same
    case .notEqual: order != .same
    case .less: order == .before
    case .lessOrEqual: order == .before || order == .same
    case .greater: order == .after
    case .greaterOrEqual: order == .after || order == .same
    }
  }
}

/// A test of a value or of two: what `and`, `or` and `not` join to a condition.
struct ConditionTest: Hashable, Sendable {
  /// What is tested.
  enum Kind: Hashable, Sendable {
    case comparison(ConditionTerm, ConditionOperator, ConditionTerm)
    case time(ConditionOperator, LogTime)
    case contains(ConditionTerm, ConditionTerm)
    case like(ConditionTerm, WildcardPattern)
    case exists(ConditionTerm)
    case changed(ConditionTerm)
    case isTrue(ConditionTerm)
  }

  let kind: Kind
  /// Tests are counted from 0, in the order of the text.
  let number: Int
  /// Where the first value begins in the text, in bytes.
  let start: Int
  /// Where the second value or the pattern begins; that of the first where there is no other.
  let end: Int
}

extension ConditionTest {
  /// Whether strings are compared in which upper and lower case could have been mixed up: those that are met are kept then.
  var comparesText: Bool {
    switch kind {
    case .like: true
    case .comparison(let left, let comparison, let right):
      (comparison == .equal || comparison == .notEqual) && (left.text != nil) != (right.text != nil)
    case .contains(let whole, let part): whole.text == nil && part.text != nil
    case .time, .exists, .changed, .isTrue: false
    }
  }
}

/// A value that a condition looks at.
indirect enum ConditionTerm: Hashable, Sendable {
  case state(JSONPointer)
  case count(ConditionTerm)
  case type
  case seq
  case time
  case data(JSONPointer)
  case meta(JSONPointer)
  case literal(JSONValue)
}

extension ConditionTerm {
  /// Whether the value belongs to a state.
  var isOfState: Bool {
    switch self {
    case .state: true
    case .count(let term): term.isOfState
    case .type, .seq, .time, .data, .meta, .literal: false
    }
  }

  /// The value, where it was written down as such.
  var literal: JSONValue? {
    if case .literal(let value) = self { return value }
    return nil
  }

  /// The string, where it was written down as such.
  var text: String? {
    if case .literal(.string(let text)) = self { return text }
    return nil
  }
}

extension ConditionTerm: CustomStringConvertible {
  /// As it is written in a condition.
  var description: String {
    switch self {
    case .state(let pointer): pointer == .root ? "''" : MessageText.escaping(pointer.description)
    case .count(let term): "count(\(term))"
    case .type: "type"
    case .seq: "seq"
    case .time: "time"
    case .data(let pointer): "data" + MessageText.escaping(pointer.description)
    case .meta(let pointer): "meta" + MessageText.escaping(pointer.description)
    case .literal(.string(let text)): MessageText.quoting(text)
    case .literal(let value): MessageText.escaping(value.description)
    }
  }
}

/// What a condition looks at.
struct ConditionUses {
  private(set) var pointers: [JSONPointer] = []
  private(set) var actionMembers: [ConditionTerm] = []
  private(set) var tests: [ConditionTest] = []
  /// The values of which it is asked whether they are missing, as in `not /a exists`: nobody is surprised that they are.
  private(set) var absences: Set<ConditionTerm> = []
  private(set) var asksForAction = false
  private(set) var asksForChange = false

  /// Everything that a condition looks at.
  init(_ root: ConditionNode) {
    add(root, isNegated: false)
  }

  private mutating func add(_ node: ConditionNode, isNegated: Bool) {
    switch node {
    case .and(let left, let right), .or(let left, let right):
      add(left, isNegated: isNegated)
      add(right, isNegated: isNegated)
    case .not(let node): add(node, isNegated: !isNegated)
    case .test(let test):
      tests.append(test)
      add(test.kind, isNegated: isNegated)
    }
  }

  private mutating func add(_ kind: ConditionTest.Kind, isNegated: Bool) {
    switch kind {
    case .comparison(let left, _, let right), .contains(let left, let right):
      add(left)
      add(right)
    case .time: asksForAction = true
    case .like(let term, _), .isTrue(let term): add(term)
    case .exists(let term):
      if isNegated { absences.insert(term) }
      add(term)
    case .changed(let term):
      asksForChange = true
      add(term)
    }
  }

  private mutating func add(_ term: ConditionTerm) {
    switch term {
    case .state(let pointer): if !pointers.contains(pointer) { pointers.append(pointer) }
    case .count(let term): add(term)
    case .type, .seq, .time: asksForAction = true
    case .data, .meta:
      asksForAction = true
      if !actionMembers.contains(term) { actionMembers.append(term) }
    case .literal: break
    }
  }
}
