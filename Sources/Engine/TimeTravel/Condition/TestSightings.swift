import JSONCoding

/// What a test of a condition has met so far. Afterwards it shows whether the test could hold at all.
struct TestSightings {
  /// What was met on one side.
  struct Side {
    /// Of the values that were there.
    fileprivate(set) var kinds: ValueKinds = []
    /// Of values that were to be counted, and have nothing to count.
    fileprivate(set) var uncountable: ValueKinds = []
    /// Whether there was nothing at any time.
    fileprivate(set) var wasMissing = false
  }

  private(set) var left = Side()
  private(set) var right = Side()
  /// Whether two values were equal, a pattern fitted, or something was contained.
  private(set) var hasMatched = false
  /// The different strings that were met and did not match; `nil` where nobody will ask for them.
  private(set) var texts: Set<String>?
  /// What was met last is mostly met again.
  private var lastText: String?

  /// Enough for the types of every log, and for names among which the one may be that was meant.
  private static let textLimit = 1_000
  /// Longer strings are no names that somebody writes into a condition.
  private static let textLimitBytes = 1_024

  init(_ test: ConditionTest) {
    if test.comparesText { texts = [] }
  }

  /// Records the kind of the value on a side, or that there is none.
  mutating func note(_ kinds: ValueKinds?, isRight: Bool) {
    guard let kinds else {
      if isRight { right.wasMissing = true } else { left.wasMissing = true }
      return
    }
    if isRight { right.kinds.insert(kinds) } else { left.kinds.insert(kinds) }
  }

  /// Records the kind of a value that has nothing to count.
  mutating func note(uncountable kinds: ValueKinds, isRight: Bool) {
    if isRight { right.uncountable.insert(kinds) } else { left.uncountable.insert(kinds) }
  }

  /// Whether a value that has nothing to count was met on a side.
  func knowsUncountable(isRight: Bool) -> Bool { !(isRight ? right : left).uncountable.isEmpty }

  /// Takes note of whether the test has matched, and if not, of the string that it was asked of.
  mutating func note(isMatch: Bool, _ value: JSONValue) {
    guard !isMatch else {
      (hasMatched, texts, lastText) = (true, nil, nil)
      return
    }
    guard case .string(let text) = value, texts != nil, text != lastText else { return }
    lastText = text
    guard texts?.count ?? 0 < Self.textLimit, text.utf8.count <= Self.textLimitBytes else { return }
    texts?.insert(text)
  }
}
