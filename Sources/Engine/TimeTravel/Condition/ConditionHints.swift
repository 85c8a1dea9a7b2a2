import JSONCoding

/// What may be wrong with a question: what the states and actions that were looked at show of it. Nothing here is guessed from the
/// question alone.
///
/// A place that no state has is most likely mistyped; a number never equals a name; `"dog"` is not `"Dog"`. The answer is right all the
/// same.
public struct QuestionHint: Hashable, Sendable {
  /// What was seen, in words: lower case, one sentence or fragment.
  public let message: String
  /// What may have been meant, best first.
  public let suggestions: [String]
  /// The condition, and the character that the hint is about.
  public let excerpt: ConditionExcerpt?

  /// Tells what was seen.
  package init(_ message: String, suggestions: [String] = [], excerpt: ConditionExcerpt? = nil) {
    self.message = message
    self.suggestions = suggestions
    self.excerpt = excerpt
  }

  /// Says why there is nothing at a place.
  ///
  /// - Parameters:
  ///   - place: The place.
  ///   - tree: A state that has nothing there; `nil` comes of one that has.
  ///   - beginning: What `nothing at …` follows.
  init?(onNothingAt place: JSONPointer, in tree: StateTree, where beginning: String) {
    do throws(TimeTravelError) {
      _ = try tree.value(at: place)
      return nil
    } catch {
      self.init("\(beginning) \(error.message)", suggestions: error.suggestions)
    }
  }
}

extension QuestionHint: CustomStringConvertible {
  /// For instance `no action that was looked at has data/animlaId. Did you mean "animalId"?`
  public var description: String {
    headline + (excerpt.map { excerpt in "\n  \(excerpt)" } ?? "")
  }

  /// The description without the excerpt.
  package var headline: String { error.headline }

  /// What was seen and what may have been meant, without the reasons between them: for places that have no room for those.
  package var essence: String { error.essence ?? headline }

  private var error: TimeTravelError { TimeTravelError(.notFound, message, suggestions: suggestions) }
}

// Why a test did not do what was meant by it, as far as what it met shows that. What it met is all that counts: a value that is a
// number in every state may be a string in the next one, so a hint says what was seen, and no more.
extension ConditionTest {
  /// What may be wrong with the test.
  ///
  /// - Parameters:
  ///   - seen: What the test has met.
  ///   - text: The condition.
  /// - Returns: `nil` where nothing seems wrong.
  func hint(on seen: TestSightings, in text: String) -> QuestionHint? {
    guard let found = finding(in: seen) else { return nil }
    return QuestionHint(
      found.message, suggestions: found.suggestions,
      excerpt: ConditionExcerpt(text: text, byte: found.isAtStart ? start : end))
  }

  /// What is told of a test.
  private struct Finding {
    var message: String
    var suggestions: [String] = []
    /// Whether the first of the two values is what is pointed at.
    var isAtStart = false
  }

  private func finding(in seen: TestSightings) -> Finding? {
    switch kind {
    case .comparison(let left, let comparison, let right):
      uncounted(left, right, seen) ?? mismatch(left, comparison, right, seen) ?? otherText(left, right, seen)
    case .contains(let whole, let part):
      uncounted(whole, part, seen) ?? unfit(whole, part, seen) ?? otherPart(whole, part, seen)
    case .like(let term, let pattern):
      seen.left.kinds.isEmpty || seen.left.kinds.contains(.string)
        ? otherPattern(term, pattern, seen)
        : Finding(message: "\(Self.was(term, seen.left.kinds)), and 'like' is asked of strings", isAtStart: true)
    case .isTrue(let term): untrue(term, seen)
    case .time, .exists, .changed: nil
    }
  }

  /// What a value was in everything that was looked at.
  private static func was(_ term: ConditionTerm, _ kinds: ValueKinds) -> String {
    term.literal == nil ? "\(term) was \(kinds) wherever it was looked at" : "\(term) is \(kinds)"
  }
}

// MARK: - Kinds of values

extension ConditionTest {
  /// A count of what has nothing to count.
  private func uncounted(_ left: ConditionTerm, _ right: ConditionTerm, _ seen: TestSightings) -> Finding? {
    for (term, side, isAtStart) in [(left, seen.left, true), (right, seen.right, false)] {
      guard case .count(let counted) = term, side.kinds.isEmpty, !side.uncountable.isEmpty else { continue }
      return Finding(
        message: "\(Self.was(counted, side.uncountable)), which has nothing to count", isAtStart: isAtStart)
    }
    return nil
  }

  /// A comparison of values of which none could be equal, or less.
  private func mismatch(
    _ left: ConditionTerm, _ comparison: ConditionOperator, _ right: ConditionTerm, _ seen: TestSightings
  ) -> Finding? {
    if let finding = missingNotNull(left, right, seen) ?? missingNotNull(right, left, seen, isAtStart: true) {
      return finding
    }
    // What is null says nothing of what it is at other times.
    let kinds = (left: seen.left.kinds.subtracting(.null), right: seen.right.kinds.subtracting(.null))
    guard !kinds.left.isEmpty, !kinds.right.isEmpty else { return nil }
    // What was written down is what can be mended.
    let isAtStart = left.literal != nil && right.literal == nil
    let (met, metKinds, other, otherKinds) =
      isAtStart ? (right, kinds.right, left, kinds.left) : (left, kinds.left, right, kinds.right)
    let isOrder = comparison != .equal && comparison != .notEqual
    if kinds.left.isDisjoint(with: kinds.right) {
      let end = isOrder ? "neither is less" : comparison == .equal ? "they are never equal" : "they always differ"
      let mended = Self.mended(other, for: metKinds).map { text in "; write \(text)" } ?? ""
      let verb = other.literal == nil ? "was" : "is"
      return Finding(
        message: "\(Self.was(met, metKinds)), and \(other) \(verb) \(otherKinds): \(end)\(mended)", isAtStart: isAtStart
      )
    }
    guard comparison == .less || comparison == .greater else { return nil }
    let shared = kinds.left.intersection(kinds.right)
    guard shared.isDisjoint(with: .ordered) else { return nil }
    return Finding(
      message: "\(Self.was(met, metKinds)), and of such values none is less than another", isAtStart: !isAtStart)
  }

  /// A value that is compared with `null`, and is missing where it is not something.
  private func missingNotNull(
    _ term: ConditionTerm, _ literal: ConditionTerm, _ seen: TestSightings, isAtStart: Bool = false
  ) -> Finding? {
    let side = isAtStart ? seen.right : seen.left
    guard literal.literal == .null, side.wasMissing, !side.kinds.isEmpty, !side.kinds.contains(.null),
      term != .type, term != .seq
    else { return nil }
    return Finding(
      message: "\(term) was \(side.kinds) or missing wherever it was looked at, and never null: "
        + "'\(term) exists' asks whether it is there", isAtStart: isAtStart)
  }

  /// What was meant by a literal of another kind than the values that it is compared with, if its text says so.
  private static func mended(_ term: ConditionTerm, for kinds: ValueKinds) -> String? {
    switch term.literal {
    case .string(let text):
      let meant: JSONValue
      do { meant = try JSONValue(parsing: Array(text.utf8)) } catch { return nil }
      return kinds.isDisjoint(with: ValueKinds(meant)) ? nil : "\(meant) without quotes"
    case .bool(let value): return kinds == .string ? "\"\(value)\"" : nil
    case .null, .number, .array, .object, nil: return nil
    }
  }

  /// A question for a part of what has no parts, or for one that it cannot have.
  private func unfit(_ whole: ConditionTerm, _ part: ConditionTerm, _ seen: TestSightings) -> Finding? {
    let (kinds, parts) = (seen.left.kinds, seen.right.kinds)
    guard !kinds.isEmpty else { return nil }
    guard !kinds.isDisjoint(with: .containers) else {
      return Finding(
        message: "\(Self.was(whole, kinds)), and only strings, arrays and objects contain something", isAtStart: true)
    }
    guard !kinds.contains(.array), !parts.isEmpty, !parts.contains(.string) else { return nil }
    let holder =
      kinds.contains(.string) ? "a string contains strings only" : "an object is asked for the name of a member"
    return Finding(message: "\(Self.was(whole, kinds)): \(holder)")
  }

  /// A value that is never true or false where it stands for itself.
  private func untrue(_ term: ConditionTerm, _ seen: TestSightings) -> Finding? {
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
        "by itself \(term) holds where it is true, and it was \(kinds) wherever it was looked at: write for instance "
        + instead, isAtStart: true)
  }
}

// MARK: - Texts

extension ConditionTest {
  private static let caseMatters = "upper and lower case are told apart"

  /// A text that nothing equalled, where something is nearly the same.
  private func otherText(_ left: ConditionTerm, _ right: ConditionTerm, _ seen: TestSightings) -> Finding? {
    guard let text = right.text ?? left.text, let texts = seen.texts, !texts.isEmpty else { return nil }
    let isAtStart = right.text == nil
    let term = isAtStart ? right : left
    let was = "\(term) was nowhere \(MessageText.quoting(text))"
    if let other = texts.sorted().first(where: { other in other.lowercased() == text.lowercased() }) {
      return Finding(message: "\(was); \(Self.caseMatters)", suggestions: [other], isAtStart: isAtStart)
    }
    guard term == .type else { return nil }
    let full = Self.names(endingIn: text, of: texts)
    if !full.isEmpty {
      return Finding(message: "\(was); a type is asked for by its full name", suggestions: full, isAtStart: isAtStart)
    }
    let near = NameSuggestion.suggestions(for: text, among: texts.sorted())
    return near.isEmpty ? nil : Finding(message: was, suggestions: near, isAtStart: isAtStart)
  }

  /// The types whose last parts are a name, in whatever case.
  private static func names(endingIn name: String, of types: Set<String>) -> [String] {
    let end = "." + name.lowercased()
    return Array(types.filter { type in type.lowercased().hasSuffix(end) }.sorted().prefix(nameLimit))
  }

  /// More names than that say nothing.
  private static let nameLimit = 3

  /// A part that nothing contained, but for the case.
  private func otherPart(_ whole: ConditionTerm, _ part: ConditionTerm, _ seen: TestSightings) -> Finding? {
    guard let text = part.text, let texts = seen.texts else { return nil }
    let wanted = text.lowercased()
    guard let other = texts.sorted().first(where: { other in other.lowercased().contains(wanted) }) else { return nil }
    return Finding(
      message:
        "\(whole) contained nowhere \(MessageText.quoting(text)), but it was \(Self.short(other)); \(Self.caseMatters)"
    )
  }

  /// A pattern that nothing fitted, but for the case or for what stands before.
  private func otherPattern(_ term: ConditionTerm, _ pattern: WildcardPattern, _ seen: TestSightings) -> Finding? {
    guard let texts = seen.texts, !texts.isEmpty else { return nil }
    let was = "\(term) was nowhere like \(MessageText.quoting(pattern.text))"
    let lowercased = WildcardPattern(pattern.text.lowercased())
    if let other = texts.sorted().first(where: { other in lowercased.matches(other.lowercased()) }) {
      return Finding(message: "\(was), but it was \(Self.short(other)); \(Self.caseMatters)")
    }
    let open = WildcardPattern("*." + pattern.text)
    guard term == .type, texts.contains(where: open.matches) else { return nil }
    return Finding(message: "\(was); the pattern is for the full name of a type", suggestions: [open.text])
  }

  /// As much of a text as names it.
  private static func short(_ text: String) -> String {
    MessageText.quoting(text.count > textLimit ? text.prefix(textLimit) + "…" : text)
  }

  private static let textLimit = 60
}

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
