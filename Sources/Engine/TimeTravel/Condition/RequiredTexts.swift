internal import ActionLog
import JSONCoding

// Texts that the line of every action contains for which a condition holds. They are found in raw bytes, before a line is parsed.

/// One of the conditions that `and` joins.
struct RequiredConjunct {
  let texts: [LineScreen.RequiredText]
  /// The values of actions that it reads.
  let members: [ConditionTerm]

  init(_ node: ConditionNode) {
    members = ConditionInputs(node).actionMembers
    if case .test(let test) = node { texts = test.requiredTexts } else { texts = [] }
  }
}

extension ConditionNode {
  /// The conditions of which all have to hold, in the order in which they are evaluated.
  var conjuncts: [ConditionNode] {
    if case .and(let left, let right) = self { left.conjuncts + right.conjuncts } else { [self] }
  }
}

extension ConditionTest {
  fileprivate var requiredTexts: [LineScreen.RequiredText] {
    var text: LineScreen.RequiredText?
    switch self {
    // A missing value differs from every value.
    case .comparison(_, .notEqual, _), .time, .changed: return []
    case .comparison(let left, .equal, let right):
      // A number can be equal to a string that holds one.
      if left.isOfAction || right.isOfAction, let equal = left.text ?? right.text, JSONNumber(equal) == nil {
        text = .init(jsonString: equal)
      }
    case .contains(let whole, let part):
      if whole.isOfAction, let part = part.text { text = .init(json: part) }
    case .like(let term, let pattern):
      let parts = pattern.text.unicodeScalars.split { scalar in scalar == "*" || scalar == "?" }
      if term.isOfAction, let longest = parts.max(by: { left, right in left.count < right.count }) {
        text = .init(json: String(longest))
      }
    case .comparison, .exists, .isTrue: break
    }
    return [text].compactMap(\.self) + terms.flatMap(\.requiredNames)
  }
}

extension ConditionTerm {
  fileprivate var isOfAction: Bool {
    switch self {
    case .type, .data, .meta: true
    case .state, .count, .revision, .time, .literal: false
    }
  }

  /// The names that a line has if it has the value: of members, or of keys in an array.
  fileprivate var requiredNames: [LineScreen.RequiredText] {
    switch self {
    case .data(let pointer), .meta(let pointer):
      pointer.tokens.filter { token in JSONPointer.index(of: token) == nil }.compactMap(
        LineScreen.RequiredText.init(jsonString:))
    case .count(let term): term.requiredNames
    case .state, .type, .revision, .time, .literal: []
    }
  }
}
