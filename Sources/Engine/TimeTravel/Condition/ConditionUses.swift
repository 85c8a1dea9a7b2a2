import JSONCoding

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
