import ActionLog
import JSONCoding
import Platform

// Hints report only what a test has met: a value that is a number in every visited state may be a string in the next one.

extension ConditionTest {
  /// A hint if the values that the test has met show that something else was meant.
  ///
  /// - Parameter suggestsValues: Whether strings of the state that are near a compared one may have been meant.
  func hint(on seen: TestObservations, in text: String, suggestsValues: Bool) -> QuestionHint? {
    guard let found = kindFault(seen) ?? textFault(seen, suggestsValues) else { return nil }
    return QuestionHint(
      MessageText(found.message), suggestions: found.suggestions,
      excerpt: ConditionExcerpt(text: text, byte: found.isAtStart ? start : end))
  }

  private struct Fault {
    var message: String
    var suggestions: [String] = []
    var isAtStart = false
  }
}

// MARK: - Kinds of values

extension ConditionTest {
  private func kindFault(_ seen: TestObservations) -> Fault? {
    for (term, isRight) in zip(terms, [false, true]) {
      let side = seen[isRight]
      guard case .count(let counted) = term, side.kinds.isEmpty, !side.uncountable.isEmpty else { continue }
      return Fault(
        message: "\(Self.was(counted, side.uncountable)), which has nothing to count", isAtStart: !isRight)
    }
    let kinds = seen[false].kinds
    switch kind {
    case .comparison(let left, let comparison, let right):
      return neverNull(left, right, seen[false]) ?? neverNull(right, left, seen[true], isAtStart: true)
        ?? mismatch(left, comparison, right, seen)
    case .contains(let whole, _):
      return fault(whole, kinds, without: .containers, "only strings, arrays and objects contain something")
    case .like(let term, _): return fault(term, kinds, without: .string, "'like' matches strings only")
    case .isTrue(let term):
      return fault(term, kinds.subtracting(.null), without: .bool, "by itself it holds only where it is true")
    case .time, .exists, .changed: return nil
    }
  }

  private static func was(_ term: ConditionTerm, _ kinds: ValueKinds) -> String {
    term.literal == nil ? "\(term) was \(kinds) wherever it was checked" : "\(term) is \(kinds)"
  }

  private func fault(
    _ term: ConditionTerm, _ kinds: ValueKinds, without expected: ValueKinds, _ reason: String
  ) -> Fault? {
    guard !kinds.isEmpty, kinds.isDisjoint(with: expected) else { return nil }
    return Fault(message: "\(Self.was(term, kinds)), and \(reason)", isAtStart: true)
  }

  /// A missing value differs from `null`.
  private func neverNull(
    _ term: ConditionTerm, _ literal: ConditionTerm, _ side: TestObservations.Side, isAtStart: Bool = false
  ) -> Fault? {
    guard literal.literal == .null, side.wasMissing, !side.kinds.isEmpty, !side.kinds.contains(.null),
      term != .type, term != .revision
    else { return nil }
    return Fault(
      message: "\(term) was \(side.kinds) or missing wherever it was checked, and never null: "
        + "'\(term) exists' tests whether it exists", isAtStart: isAtStart)
  }

  private func mismatch(
    _ left: ConditionTerm, _ comparison: ConditionOperator, _ right: ConditionTerm, _ seen: TestObservations
  ) -> Fault? {
    // A value that is null in some states can have any kind in others.
    let one = (term: left, kinds: seen[false].kinds.subtracting(.null))
    let two = (term: right, kinds: seen[true].kinds.subtracting(.null))
    guard !one.kinds.isEmpty, !two.kinds.isEmpty, one.kinds.isDisjoint(with: two.kinds) else { return nil }
    // The hint points at the literal, which is what the user can correct.
    let isAtStart = left.literal != nil && right.literal == nil
    let (met, other) = isAtStart ? (two, one) : (one, two)
    let end =
      comparison == .equal ? "they are never equal" : comparison == .notEqual ? "they always differ" : "neither is less"
    let verb = other.term.literal == nil ? "was" : "is"
    return Fault(
      message: "\(Self.was(met.term, met.kinds)), and \(other.term) \(verb) \(other.kinds): \(end)",
      isAtStart: isAtStart)
  }
}

// MARK: - Texts

extension ConditionTest {
  /// The strings that the test has met, and that a small difference keeps from matching.
  private func textFault(_ seen: TestObservations, _ suggestsValues: Bool) -> Fault? {
    guard let texts = seen.texts?.all, !texts.isEmpty else { return nil }
    switch kind {
    case .comparison(let left, _, let right):
      guard let text = right.text ?? left.text else { return nil }
      let term = right.text == nil ? right : left
      var fault = Fault(
        message: "\(term) was \(EscapedText.quoting(text)) in no checked \(Self.place(of: term))",
        isAtStart: right.text == nil)
      if let other = texts.first(where: { other in other.lowercased() == text.lowercased() }) {
        fault.message += "; case matters"
        fault.suggestions = [other]
        return fault
      }
      let end = "." + text.lowercased()
      fault.suggestions = term == .type ? texts.filter { type in type.lowercased().hasSuffix(end) } : []
      if !fault.suggestions.isEmpty {
        fault.message += "; types are matched by their full names"
      } else if term == .type {
        fault.suggestions = NameSuggestion.suggestions(for: text, among: texts)
      } else if suggestsValues {
        fault.suggestions = Self.values(near: text, among: texts)
      }
      fault.suggestions = Array(fault.suggestions.prefix(Self.suggestionLimit))
      return fault.suggestions.isEmpty ? nil : fault
    case .contains(let whole, let part):
      guard let text = part.text, let other = texts.first(where: { other in Self.contains(other, text) }) else {
        return nil
      }
      return Fault(
        message: "\(whole) never contained \(EscapedText.quoting(text)), but it was \(Self.short(other)); case matters")
    case .like(let term, let pattern):
      let was = "\(term) was like \(EscapedText.quoting(pattern.text)) in no checked \(Self.place(of: term))"
      let lowercased = WildcardPattern(pattern.text.lowercased())
      if let other = texts.first(where: { other in lowercased.matches(other.lowercased()) }) {
        return Fault(message: "\(was), but it was \(Self.short(other)); case matters")
      }
      let open = WildcardPattern("*." + pattern.text)
      guard term == .type, texts.contains(where: open.matches) else { return nil }
      return Fault(message: "\(was); the pattern is for the full name of a type", suggestions: [open.text])
    case .time, .exists, .changed, .isTrue: return nil
    }
  }

  private static func place(of term: ConditionTerm) -> String { term == .type ? "action" : "state" }

  private static func contains(_ text: String, _ part: String) -> Bool {
    text.lowercased().contains(part.lowercased())
  }

  /// The strings that differ from a text by few letters, then those that are a considerable part of it, or of which it is one.
  private static func values(near text: String, among texts: [String]) -> [String] {
    let similar = NameSuggestion.suggestions(for: text, among: texts)
    return similar
      + texts.filter { other in
        let (shorter, longer) = other.count < text.count ? (other, text) : (text, other)
        return shorter.count >= 3 && shorter.count * 4 >= longer.count && contains(longer, shorter)
          && !similar.contains(other)
      }
  }

  private static let suggestionLimit = 3

  private static func short(_ text: String) -> String {
    EscapedText.quoting(text.count > 60 ? text.prefix(60) + "…" : text)
  }
}

/// The values that a test of a condition has met.
struct TestObservations {
  /// The values on one side of a test.
  struct Side {
    fileprivate(set) var kinds: ValueKinds = []
    /// The kinds of values that were counted and have nothing to count.
    fileprivate(set) var uncountable: ValueKinds = []
    fileprivate(set) var wasMissing = false
  }

  private var left = Side()
  private var right = Side()
  /// The distinct strings that did not match; `nil` if they are not needed.
  private(set) var texts: FirstTexts?
  /// The last string: consecutive strings are often equal.
  private var lastText: String?

  /// Longer strings are not names that a user writes into a condition.
  private static let textLimitBytes = 1_024

  init(_ test: ConditionTest) {
    if test.comparesText { texts = FirstTexts() }
  }

  subscript(isRight: Bool) -> Side {
    get { isRight ? right : left }
    set { if isRight { right = newValue } else { left = newValue } }
  }

  /// Records the kind of the value on a side; `nil` for a missing value.
  mutating func note(_ kinds: ValueKinds?, isRight: Bool) {
    if let kinds { self[isRight].kinds.insert(kinds) } else { self[isRight].wasMissing = true }
  }

  mutating func note(uncountable kinds: ValueKinds, isRight: Bool) { self[isRight].uncountable.insert(kinds) }

  /// Records whether the test matched, and the string if it did not.
  mutating func note(isMatch: Bool, _ value: JSONValue) {
    guard !isMatch else {
      (texts, lastText) = (nil, nil)
      return
    }
    guard case .string(let text) = value, texts != nil, text != lastText else { return }
    lastText = text
    if text.utf8.count <= Self.textLimitBytes { texts?.insert(text) }
  }
}

/// A value of actions that a condition reads, and whether any action had it.
struct ActionMember {
  let term: ConditionTerm
  private var wasRead = false
  private var wasThere = false
  private var names = FirstTexts()

  init(_ term: ConditionTerm) { self.term = term }

  mutating func note(_ value: JSONValue?, at pointer: JSONPointer, in root: JSONValue?) {
    guard !wasThere else { return }
    wasRead = true
    wasThere = value != nil
    guard value == nil, let root, !names.isFull else { return }
    var place = root
    for token in pointer.tokens {
      guard let next = place[JSONPointer([token])] else { break }
      place = next
    }
    if case .object(let object) = place { for member in object { names.insert(member.name) } }
  }

  /// A hint if no action had the value, for instance `no checked action has data/animlaId. Did you mean "animalId"?`
  var absence: QuestionHint? {
    guard wasRead, !wasThere else { return nil }
    switch term {
    case .data(let pointer), .meta(let pointer): return absence(of: pointer)
    default: return nil
    }
  }

  private func absence(of pointer: JSONPointer) -> QuestionHint {
    // Actions differ in which part of the pointer is missing, so suggestions are made for every part.
    var suggestions: [String] = []
    for token in pointer.tokens {
      let known = NameSuggestion.suggestions(for: token, among: names.all)
      for suggestion in known where suggestion != token && !suggestions.contains(suggestion) {
        suggestions.append(suggestion)
      }
    }
    return QuestionHint("no checked action has \(term)", suggestions: suggestions)
  }
}

/// The first distinct texts of a series, of which some are suggested.
struct FirstTexts {
  private var texts: Set<String> = []

  /// Enough for the types of every log, and for names among which the intended one may be. Types have a few members each; more names
  /// are the keys of a dictionary.
  private static let limit = 1_000

  var all: [String] { texts.sorted() }
  var isFull: Bool { texts.count >= Self.limit }

  mutating func insert(_ text: String) {
    if !isFull { texts.insert(text) }
  }
}
