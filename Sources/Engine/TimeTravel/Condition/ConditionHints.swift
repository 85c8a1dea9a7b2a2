import ActionLog
import JSONCoding
import Platform

// Hints on names that no checked state or action has.

/// A value of actions that a condition reads, and whether any action had it.
struct ActionMember {
  let term: ConditionTerm
  private var wasRead = false
  private(set) var wasThere = false
  private var names = FirstTexts()

  init(_ term: ConditionTerm) { self.term = term }

  mutating func note(_ value: JSONValue?, at pointer: JSONPointer, in root: @autoclosure () -> JSONValue?) {
    guard !wasThere else { return }
    wasRead = true
    wasThere = value != nil
    guard value == nil, !names.isFull, var place = root() else { return }
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

/// The types of the checked actions, if a condition compares the type with texts.
struct CheckedTypes {
  /// The texts that the type is compared with.
  private let compared: [String]
  private var types = FirstTexts()
  /// The last type: consecutive types are often equal.
  private var last: String?

  private static let suggestionLimit = 3

  init(_ tests: [ConditionTest]) { compared = tests.compactMap(\.comparedType) }

  mutating func note(_ type: String) {
    guard !compared.isEmpty, type != last else { return }
    last = type
    types.insert(type)
  }

  /// Whether further types change no hint.
  var areKnown: Bool { types.isFull || compared.allSatisfy(types.contains) }

  /// A hint for each text that no checked action has as its type, and for which another one may have been meant.
  var absences: [QuestionHint] {
    guard !types.isFull else { return [] }
    let known = types.all
    return compared.compactMap { text in
      guard !known.contains(text) else { return nil }
      let end = "." + text.lowercased()
      let longer = known.filter { type in type.lowercased().hasSuffix(end) }
      let suggestions = longer.isEmpty ? NameSuggestion.suggestions(for: text, among: known) : longer
      guard !suggestions.isEmpty else { return nil }
      return QuestionHint(
        "no checked action has the type \(EscapedText.quoting(text))",
        suggestions: Array(suggestions.prefix(Self.suggestionLimit)))
    }
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

  func contains(_ text: String) -> Bool { texts.contains(text) }

  mutating func insert(_ text: String) {
    if !isFull { texts.insert(text) }
  }
}
