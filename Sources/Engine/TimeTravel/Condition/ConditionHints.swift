import ActionLog
import JSONCoding
import Platform

// Hints report only what a test has met: a value that is a number in every visited state may be a string in the next one.
extension ConditionTest {
  /// Finds what may be wrong with the test.
  ///
  /// - Parameters:
  ///   - seen: The values that the test has met.
  ///   - text: The condition.
  ///   - suggestsValues: Whether strings of the state that are near a compared one may have been meant.
  /// - Returns: `nil` if nothing seems wrong.
  func hint(on seen: TestObservations, in text: String, suggestsValues: Bool) -> QuestionHint? {
    guard let found = finding(in: seen, suggestsValues) else { return nil }
    return QuestionHint(
      MessageText(found.message), suggestions: found.suggestions,
      excerpt: ConditionExcerpt(text: text, byte: found.isAtStart ? start : end))
  }

  /// The parts of a hint on a test.
  private struct Finding {
    var message: String
    var suggestions: [String] = []
    /// Whether the hint points at the first value.
    var isAtStart = false
  }

  private func finding(in seen: TestObservations, _ suggestsValues: Bool) -> Finding? {
    switch kind {
    case .comparison(let left, let comparison, let right):
      countOfScalar(left, right, seen) ?? mismatch(left, comparison, right, seen)
        ?? nearText(left, right, seen, suggestsValues)
    case .contains(let whole, let part):
      countOfScalar(whole, part, seen) ?? invalidContainment(whole, part, seen) ?? nearPart(whole, part, seen)
    case .like(let term, let pattern):
      seen.left.kinds.isEmpty || seen.left.kinds.contains(.string)
        ? nearPattern(term, pattern, seen)
        : Finding(message: "\(Self.was(term, seen.left.kinds)), and 'like' matches strings only", isAtStart: true)
    case .isTrue(let term): nonBoolean(term, seen)
    case .time, .exists, .changed: nil
    }
  }

  /// The kinds that a value had everywhere, as a clause.
  private static func was(_ term: ConditionTerm, _ kinds: ValueKinds) -> String {
    term.literal == nil ? "\(term) was \(kinds) wherever it was checked" : "\(term) is \(kinds)"
  }
}

// MARK: - Kinds of values

extension ConditionTest {
  /// Finds a count of values that have nothing to count.
  private func countOfScalar(_ left: ConditionTerm, _ right: ConditionTerm, _ seen: TestObservations) -> Finding? {
    for (term, side, isAtStart) in [(left, seen.left, true), (right, seen.right, false)] {
      guard case .count(let counted) = term, side.kinds.isEmpty, !side.uncountable.isEmpty else { continue }
      return Finding(
        message: "\(Self.was(counted, side.uncountable)), which has nothing to count", isAtStart: isAtStart)
    }
    return nil
  }

  /// Finds a comparison of values that can never be equal, or never be less.
  private func mismatch(
    _ left: ConditionTerm, _ comparison: ConditionOperator, _ right: ConditionTerm, _ seen: TestObservations
  ) -> Finding? {
    if let finding = neverNull(left, right, seen) ?? neverNull(right, left, seen, isAtStart: true) {
      return finding
    }
    // A value that is null in some states can have any kind in others.
    let kinds = (left: seen.left.kinds.subtracting(.null), right: seen.right.kinds.subtracting(.null))
    guard !kinds.left.isEmpty, !kinds.right.isEmpty else { return nil }
    // The hint points at the literal, which is what the user can correct.
    let isAtStart = left.literal != nil && right.literal == nil
    let (met, metKinds, other, otherKinds) =
      isAtStart ? (right, kinds.right, left, kinds.left) : (left, kinds.left, right, kinds.right)
    let isOrder = comparison != .equal && comparison != .notEqual
    if kinds.left.isDisjoint(with: kinds.right) {
      let end = isOrder ? "neither is less" : comparison == .equal ? "they are never equal" : "they always differ"
      let correctedLiteral = Self.correctedLiteral(other, for: metKinds).map { text in "; write \(text)" } ?? ""
      let verb = other.literal == nil ? "was" : "is"
      return Finding(
        message: "\(Self.was(met, metKinds)), and \(other) \(verb) \(otherKinds): \(end)\(correctedLiteral)",
        isAtStart: isAtStart
      )
    }
    guard comparison == .less || comparison == .greater else { return nil }
    let shared = kinds.left.intersection(kinds.right)
    guard shared.isDisjoint(with: .ordered) else { return nil }
    return Finding(
      message: "\(Self.was(met, metKinds)), and of such values none is less than another", isAtStart: !isAtStart)
  }

  /// Finds a comparison with `null` of a value that is missing, but never null.
  private func neverNull(
    _ term: ConditionTerm, _ literal: ConditionTerm, _ seen: TestObservations, isAtStart: Bool = false
  ) -> Finding? {
    let side = isAtStart ? seen.right : seen.left
    guard literal.literal == .null, side.wasMissing, !side.kinds.isEmpty, !side.kinds.contains(.null),
      term != .type, term != .revision
    else { return nil }
    return Finding(
      message: "\(term) was \(side.kinds) or missing wherever it was checked, and never null: "
        + "'\(term) exists' tests whether it exists", isAtStart: isAtStart)
  }

  /// The literal that was probably meant instead of one of another kind.
  private static func correctedLiteral(_ term: ConditionTerm, for kinds: ValueKinds) -> String? {
    switch term.literal {
    case .string(let text):
      let meant: JSONValue
      do { meant = try JSONValue(parsing: Array(text.utf8)) } catch { return nil }
      return kinds.isDisjoint(with: ValueKinds(meant)) ? nil : "\(meant) without quotes"
    case .bool(let value): return kinds == .string ? "\"\(value)\"" : nil
    case .null, .number, .array, .object, nil: return nil
    }
  }

  /// Finds `contains` on a value that cannot contain anything, or cannot contain such a value.
  private func invalidContainment(_ whole: ConditionTerm, _ part: ConditionTerm, _ seen: TestObservations) -> Finding? {
    let (kinds, parts) = (seen.left.kinds, seen.right.kinds)
    guard !kinds.isEmpty else { return nil }
    guard !kinds.isDisjoint(with: .containers) else {
      return Finding(
        message: "\(Self.was(whole, kinds)), and only strings, arrays and objects contain something", isAtStart: true)
    }
    guard !kinds.contains(.array), !parts.isEmpty, !parts.contains(.string) else { return nil }
    let holder =
      kinds.contains(.string) ? "a string contains strings only" : "an object contains members by name"
    return Finding(message: "\(Self.was(whole, kinds)): \(holder)")
  }

  /// Finds a value that is tested by itself and is never a Boolean.
  private func nonBoolean(_ term: ConditionTerm, _ seen: TestObservations) -> Finding? {
    if case .count(let counted) = term, seen.left.kinds.isEmpty, !seen.left.uncountable.isEmpty {
      return Finding(
        message: "\(Self.was(counted, seen.left.uncountable)), which has nothing to count", isAtStart: true)
    }
    let kinds = seen.left.kinds.subtracting(.null)
    guard !kinds.isEmpty, !kinds.contains(.bool) else { return nil }
    let instead =
      kinds.contains(.number)
      ? "\(term) != 0" : kinds.contains(.string) ? "\(term) == \"…\"" : "count(\(term)) > 0"
    return Finding(
      message:
        "by itself \(term) holds where it is true, and it was \(kinds) wherever it was checked: write for instance "
        + instead, isAtStart: true)
  }
}

// MARK: - Texts

extension ConditionTest {
  private static let caseMatters = "case matters"

  /// Finds a string that equals the compared one except for its case, or nearly.
  private func nearText(
    _ left: ConditionTerm, _ right: ConditionTerm, _ seen: TestObservations, _ suggestsValues: Bool
  ) -> Finding? {
    guard let text = right.text ?? left.text, let texts = seen.texts?.all, !texts.isEmpty else { return nil }
    let isAtStart = right.text == nil
    let term = isAtStart ? right : left
    let was = "\(term) was \(EscapedText.quoting(text)) in no checked \(Self.place(of: term))"
    if let other = texts.sorted().first(where: { other in other.lowercased() == text.lowercased() }) {
      return Finding(message: "\(was); \(Self.caseMatters)", suggestions: [other], isAtStart: isAtStart)
    }
    guard term == .type else {
      let near = suggestsValues ? Self.values(near: text, among: texts) : []
      return near.isEmpty ? nil : Finding(message: was, suggestions: near, isAtStart: isAtStart)
    }
    let full = Self.names(endingIn: text, of: texts)
    if !full.isEmpty {
      return Finding(message: "\(was); types are matched by their full names", suggestions: full, isAtStart: isAtStart)
    }
    let near = NameSuggestion.suggestions(for: text, among: texts.sorted())
    return near.isEmpty ? nil : Finding(message: was, suggestions: near, isAtStart: isAtStart)
  }

  /// The word for the source of a term. Some questions check only a part of the history.
  private static func place(of term: ConditionTerm) -> String { term == .type ? "action" : "state" }

  /// The values that differ by a few letters, and then those that contain a text or are a part of it, the closest in length first.
  private static func values(near text: String, among texts: Set<String>) -> [String] {
    let wanted = text.lowercased()
    let related = texts.filter { other in
      let (shorter, longer) = other.count < text.count ? (other.lowercased(), wanted) : (wanted, other.lowercased())
      return shorter.count >= partLength && shorter.count * partShare >= longer.count && longer.contains(shorter)
    }
    let similar = NameSuggestion.suggestions(for: text, among: texts.sorted())
    let ranked = related.subtracting(similar).map { other in (abs(other.count - text.count), other) }.sorted(by: <)
    return Array((similar + ranked.map { _, other in other }).prefix(nameLimit))
  }

  /// A shorter text is a part of too many others.
  private static let partLength = 3
  /// The greatest ratio of a text's length to that of a part of it that is suggested.
  private static let partShare = 4

  /// The types whose last components are `name`, ignoring case.
  private static func names(endingIn name: String, of types: Set<String>) -> [String] {
    let end = "." + name.lowercased()
    return Array(types.filter { type in type.lowercased().hasSuffix(end) }.sorted().prefix(nameLimit))
  }

  /// More names do not help.
  private static let nameLimit = 3

  /// Finds a string that contains the substring except for its case.
  private func nearPart(_ whole: ConditionTerm, _ part: ConditionTerm, _ seen: TestObservations) -> Finding? {
    guard let text = part.text, let texts = seen.texts?.all else { return nil }
    let wanted = text.lowercased()
    guard let other = texts.sorted().first(where: { other in other.lowercased().contains(wanted) }) else { return nil }
    return Finding(
      message:
        "\(whole) never contained \(EscapedText.quoting(text)), but it was \(Self.short(other)); \(Self.caseMatters)"
    )
  }

  /// Finds a string that matches the pattern except for its case, or for the beginning of a type's name.
  private func nearPattern(_ term: ConditionTerm, _ pattern: WildcardPattern, _ seen: TestObservations) -> Finding? {
    guard let texts = seen.texts?.all, !texts.isEmpty else { return nil }
    let was = "\(term) was like \(EscapedText.quoting(pattern.text)) in no checked \(Self.place(of: term))"
    let lowercased = WildcardPattern(pattern.text.lowercased())
    if let other = texts.sorted().first(where: { other in lowercased.matches(other.lowercased()) }) {
      return Finding(message: "\(was), but it was \(Self.short(other)); \(Self.caseMatters)")
    }
    let open = WildcardPattern("*." + pattern.text)
    guard term == .type, texts.contains(where: open.matches) else { return nil }
    return Finding(message: "\(was); the pattern is for the full name of a type", suggestions: [open.text])
  }

  /// The beginning of a string, in quotes.
  private static func short(_ text: String) -> String {
    EscapedText.quoting(text.count > textLimit ? text.prefix(textLimit) + "…" : text)
  }

  private static let textLimit = 60
}

/// The values that a test of a condition has met. They show whether the test could hold at all.
struct TestObservations {
  /// The values on one side of a test.
  struct Side {
    /// The kinds of the values.
    fileprivate(set) var kinds: ValueKinds = []
    /// The kinds of values that were counted and have nothing to count.
    fileprivate(set) var uncountable: ValueKinds = []
    /// Whether the value was missing at any time.
    fileprivate(set) var wasMissing = false

    fileprivate mutating func add(_ later: Side) {
      kinds.formUnion(later.kinds)
      if uncountable.isEmpty { uncountable = later.uncountable }
      wasMissing = wasMissing || later.wasMissing
    }
  }

  private(set) var left = Side()
  private(set) var right = Side()
  /// Whether the test matched at any time.
  private(set) var hasMatched = false
  /// The distinct strings that did not match; `nil` if they are not needed.
  private(set) var texts: FirstTexts?
  /// The last string: consecutive strings are often equal.
  private var lastText: String?

  /// Longer strings are not names that a user writes into a condition.
  private static let textLimitBytes = 1_024

  init(_ test: ConditionTest) {
    if test.comparesText { texts = FirstTexts() }
  }

  /// Records the kind of the value on a side; `nil` for a missing value.
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

  /// Whether a value on this side had nothing to count.
  func knowsUncountable(isRight: Bool) -> Bool { !(isRight ? right : left).uncountable.isEmpty }

  /// Records whether the test matched, and the string if it did not.
  mutating func note(isMatch: Bool, _ value: JSONValue) {
    guard !isMatch else {
      (hasMatched, texts, lastText) = (true, nil, nil)
      return
    }
    guard case .string(let text) = value, texts != nil, text != lastText else { return }
    lastText = text
    if text.utf8.count <= Self.textLimitBytes { texts?.insert(text) }
  }

  /// Adds the values that the test has met in a later range.
  mutating func add(_ later: TestObservations) {
    left.add(later.left)
    right.add(later.right)
    hasMatched = hasMatched || later.hasMatched
    if let found = later.texts, texts != nil { texts?.add(found) } else { texts = nil }
  }
}

/// A value of actions that a condition reads, and whether any action had it.
struct ActionMember: Sendable {
  let term: ConditionTerm
  private var wasRead = false
  private var wasThere = false
  /// The names of the members next to the missing one.
  private var names = FirstTexts()

  init(_ term: ConditionTerm) { self.term = term }

  /// Records whether an action had the value.
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

  /// Adds what a later range of actions had.
  mutating func add(_ later: ActionMember) {
    wasRead = wasRead || later.wasRead
    wasThere = wasThere || later.wasThere
    names.add(later.names)
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
      let known = NameSuggestion.suggestions(for: token, among: names.all.sorted())
      for suggestion in known where suggestion != token && !suggestions.contains(suggestion) {
        suggestions.append(suggestion)
      }
    }
    return QuestionHint("no checked action has \(term)", suggestions: suggestions)
  }
}

/// The first distinct texts of a series, of which some are suggested.
struct FirstTexts: Sendable {
  /// The number of texts that were met before each one.
  private var places: [String: Int] = [:]

  /// Enough for the types of every log, and for names among which the intended one may be. Types have a few members each; more names
  /// are the keys of a dictionary.
  private static let limit = 1_000

  var all: Set<String> { Set(places.keys) }
  var isFull: Bool { places.count >= Self.limit }

  mutating func insert(_ text: String) {
    if !isFull, places[text] == nil { places[text] = places.count }
  }

  /// Adds the first texts of a series that follows.
  mutating func add(_ later: FirstTexts) {
    for (text, _) in later.places.sorted(by: { one, other in one.value < other.value }) { insert(text) }
  }
}
