package import ActionLog
package import JSONCoding
import Platform

/// A condition over a state and the action that led to it: `/counter/value > 10 and type like "ui.*"`.
///
/// | syntax | meaning |
/// |---|---|
/// | `/animals/data/Dog/name` | a value of the state, by its JSON Pointer; `'/a name'` in single quotes; `''` is the complete state |
/// | `type`, `seq`, `time` | the type, the revision and the time of the action that led to the state |
/// | `data/animalId`, `meta/actor` | a value of the action, or of its metadata |
/// | `count(/animals/data)` | the number of elements, members or characters of a value |
/// | `"Dog"`, `12.5`, `true`, `false`, `null` | a JSON value |
/// | `==` `!=` `<` `<=` `>` `>=` | comparison by value: `1` equals `1.0`, strings compare by code points, times by the clock; see below for decimals |
/// | `a contains b` | a string contains a substring, an array an element, an object a member of that name |
/// | `a like "ui.*"` | a string matches a pattern: `*` matches any text, `?` one character |
/// | `a exists` | there is a value, which may be `null` |
/// | `a changed` | the action changed, added or removed the value |
/// | `not`, `and`, `or`, `( )` | in this order of precedence; a value by itself holds if it is `true` |
///
/// A missing value differs from every value and is neither less nor greater. The same is true of values of different kinds.
///
/// A `Decimal` is a string in JSON. A string that holds a number compares with a number as a number: `/turnover/eur >
/// 1000000`. Two such strings are ordered as numbers, so `> "1000000"` means the same. They are equal only if their texts are
/// equal.
///
/// A dictionary whose keys are not strings is addressed by key, too: `/orders/4C1D…/status`; see ``StateTree``.
public struct Condition: Hashable, Sendable {
  /// The text of the condition.
  public let text: String

  let root: ConditionNode

  /// Parses a condition.
  ///
  /// - Throws: ``TimeTravelError/Code/invalidCondition`` with the first wrong character, and what was expected there.
  public init(parsing text: String) throws(TimeTravelError) {
    var parser = try ConditionParser(text)
    self.root = try parser.parse()
    self.text = text
  }

  package var pointers: [JSONPointer] { uses.pointers }

  /// Whether the condition reads the action that led to a state, so that a state alone is not enough.
  package var readsAction: Bool { uses.readsAction }

  /// Whether the condition reads the previous state, so that a state alone is not enough.
  package var readsChange: Bool { uses.readsChange }

  var uses: ConditionInputs { ConditionInputs(root) }
}

extension Condition: CustomStringConvertible {
  /// The text of the condition.
  public var description: String { text }
}

extension Condition {
  package var readsState: Bool { !pointers.isEmpty || readsChange }
}

extension Condition {
  /// Returns whether a condition over the state alone holds in a state.
  ///
  /// - Parameter state: A state of any model.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that reads the action or a change; the errors of the
  ///   state's coding.
  /// - Complexity: O(members on the path to each value + size of the values).
  public func holds(in state: some Encodable & SendableMetatype) throws -> Bool {
    try requireState()
    return try ConditionEvaluator(self).holds(at: state)
  }

  /// Evaluates a condition over the state alone. If it does not hold, reports what may be wrong with it.
  package func evaluated<State: Encodable & Sendable>(
    in state: State
  ) throws -> (holds: Bool, hints: [QuestionHint]) {
    try requireState()
    let evaluator = ConditionEvaluator<State>(self)
    guard try !evaluator.holds(at: state) else { return (true, []) }
    var work = QuestionWork()
    work.note(missing: evaluator.missingPointers, in: VisitedState(state))
    work.hints = evaluator.hints
    return (false, try work.allHints())
  }

  /// Throws ``TimeTravelError/Code/unanswerable`` if a state alone is not enough.
  package func requireState() throws(TimeTravelError) {
    guard !readsAction, !readsChange else {
      throw TimeTravelError(
        .unanswerable,
        "a condition over the state alone is needed, and '\(self)' reads the action or a change")
    }
  }
}

/// Matches records against a condition over actions alone. Nothing is folded.
///
/// Afterwards ``hints`` lists possible mistakes in the condition. Do not share an instance between threads.
package final class RecordMatcher {
  package let condition: Condition

  private let evaluator: ConditionEvaluator<NoState>
  private let conjuncts: [RequiredConjunct]

  package init(_ condition: Condition) throws(TimeTravelError) {
    guard !condition.readsState else {
      throw TimeTravelError(.unanswerable, "'\(condition)' reads the state, which a record does not have")
    }
    self.condition = condition
    evaluator = ConditionEvaluator(condition)
    conjuncts = condition.root.conjuncts.map(RequiredConjunct.init)
  }

  /// Texts that the line of every matching action contains. Conditions after one whose values no action had are evaluated, for hints.
  package var requiredTexts: [LineScreen.RequiredText] {
    conjuncts.prefix { conjunct in evaluator.needsNoHint(on: conjunct.members) }.flatMap(\.texts)
  }

  package func holds(for record: LogRecord) throws -> Bool {
    try evaluator.holds(at: NoState(), after: record)
  }

  package var hints: [QuestionHint] { evaluator.hints }
}

private struct NoState: Encodable {}

/// The syntax tree of a condition.
indirect enum ConditionNode: Hashable, Sendable {
  case and(ConditionNode, ConditionNode)
  case or(ConditionNode, ConditionNode)
  case not(ConditionNode)
  case test(ConditionTest)
}

/// A comparison operator.
enum ConditionOperator: String, Hashable, Sendable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case lessOrEqual = "<="
  case greaterOrEqual = ">="
  case less = "<"
  case greater = ">"

  /// Whether two values in this order satisfy the operator; `nil` is the order of values that cannot be compared.
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

/// An elementary test of one or two values. `and`, `or` and `not` combine tests.
enum ConditionTest: Hashable, Sendable {
  case comparison(ConditionTerm, ConditionOperator, ConditionTerm)
  case time(ConditionOperator, LogTime)
  case contains(ConditionTerm, ConditionTerm)
  case like(ConditionTerm, WildcardPattern)
  case exists(ConditionTerm)
  case changed(ConditionTerm)
  case isTrue(ConditionTerm)
}

extension ConditionTest {
  var terms: [ConditionTerm] {
    switch self {
    case .comparison(let left, _, let right), .contains(let left, let right): [left, right]
    case .like(let term, _), .exists(let term), .changed(let term), .isTrue(let term): [term]
    case .time: []
    }
  }

  /// The text that the type of an action is compared with; `nil` if it is not.
  var comparedType: String? {
    guard case .comparison(let left, let comparison, let right) = self, comparison == .equal || comparison == .notEqual,
      left == .type || right == .type
    else { return nil }
    return left.text ?? right.text
  }
}

/// A value that a condition reads.
indirect enum ConditionTerm: Hashable, Sendable {
  case state(JSONPointer)
  case count(ConditionTerm)
  case type
  case revision
  case time
  case data(JSONPointer)
  case meta(JSONPointer)
  case literal(JSONValue)
}

extension ConditionTerm {
  var isOfState: Bool {
    switch self {
    case .state: true
    case .count(let term): term.isOfState
    case .type, .revision, .time, .data, .meta, .literal: false
    }
  }

  var literal: JSONValue? {
    if case .literal(let value) = self { return value }
    return nil
  }

  var text: String? {
    if case .literal(.string(let text)) = self { return text }
    return nil
  }
}

extension ConditionTerm: CustomStringConvertible {
  var description: String {
    switch self {
    case .state(let pointer): pointer == .root ? "''" : EscapedText.escaping(pointer.description)
    case .count(let term): "count(\(term))"
    case .type: "type"
    case .revision: "seq"
    case .time: "time"
    case .data(let pointer): "data" + EscapedText.escaping(pointer.description)
    case .meta(let pointer): "meta" + EscapedText.escaping(pointer.description)
    case .literal(.string(let text)): EscapedText.quoting(text)
    case .literal(let value): EscapedText.escaping(value.description)
    }
  }
}

/// The values that a condition reads.
struct ConditionInputs {
  private(set) var pointers: [JSONPointer] = []
  private(set) var actionMembers: [ConditionTerm] = []
  private(set) var tests: [ConditionTest] = []
  /// The values that are tested for absence, as in `not /a exists`. It is no surprise if they are missing.
  private(set) var absences: Set<ConditionTerm> = []
  private(set) var readsAction = false
  private(set) var readsChange = false

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
      add(test, isNegated: isNegated)
    }
  }

  private mutating func add(_ test: ConditionTest, isNegated: Bool) {
    switch test {
    case .time: readsAction = true
    case .exists(let term) where isNegated: absences.insert(term)
    case .changed: readsChange = true
    case .comparison, .contains, .like, .exists, .isTrue: break
    }
    for term in test.terms { add(term) }
  }

  private mutating func add(_ term: ConditionTerm) {
    switch term {
    case .state(let pointer): if !pointers.contains(pointer) { pointers.append(pointer) }
    case .count(let term): add(term)
    case .type, .revision, .time: readsAction = true
    case .data, .meta:
      readsAction = true
      if !actionMembers.contains(term) { actionMembers.append(term) }
    case .literal: break
    }
  }
}
