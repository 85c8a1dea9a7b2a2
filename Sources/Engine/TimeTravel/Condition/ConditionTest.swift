import ActionLog
import JSONCoding

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
