import JSONCoding

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
