import ActionLog
import JSONCoding

/// A condition, parsed.
indirect enum ConditionNode: Hashable, Sendable {
  case and(ConditionNode, ConditionNode)
  case or(ConditionNode, ConditionNode)
  case not(ConditionNode)
  case comparison(ConditionTerm, ConditionOperator, ConditionTerm)
  case time(ConditionOperator, LogTime)
  case contains(ConditionTerm, ConditionTerm)
  case like(ConditionTerm, WildcardPattern)
  case exists(ConditionTerm)
  case changed(ConditionTerm)
  case isTrue(ConditionTerm)
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

/// What a condition looks at.
struct ConditionUses {
  private(set) var pointers: [JSONPointer] = []
  private(set) var actionMembers: [ConditionTerm] = []
  var asksForAction = false
  var asksForChange = false

  mutating func add(member term: ConditionTerm) {
    asksForAction = true
    if !actionMembers.contains(term) { actionMembers.append(term) }
  }

  mutating func add(_ pointer: JSONPointer) {
    if !pointers.contains(pointer) { pointers.append(pointer) }
  }
}

extension ConditionNode {
  func collect(into uses: inout ConditionUses) {
    switch self {
    case .and(let left, let right), .or(let left, let right):
      left.collect(into: &uses)
      right.collect(into: &uses)
    case .not(let node): node.collect(into: &uses)
    case .comparison(let left, _, let right), .contains(let left, let right):
      left.collect(into: &uses)
      right.collect(into: &uses)
    case .time: uses.asksForAction = true
    case .like(let term, _), .exists(let term), .isTrue(let term): term.collect(into: &uses)
    case .changed(let term):
      uses.asksForChange = true
      term.collect(into: &uses)
    }
  }
}

extension ConditionTerm {
  func collect(into uses: inout ConditionUses) {
    switch self {
    case .state(let pointer): uses.add(pointer)
    case .count(let term): term.collect(into: &uses)
    case .type, .seq, .time: uses.asksForAction = true
    case .data, .meta: uses.add(member: self)
    case .literal: break
    }
  }

  /// Whether the value belongs to a state.
  var isOfState: Bool {
    switch self {
    case .state: true
    case .count(let term): term.isOfState
    case .type, .seq, .time, .data, .meta, .literal: false
    }
  }
}
