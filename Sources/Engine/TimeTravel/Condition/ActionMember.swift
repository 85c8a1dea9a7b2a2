import JSONCoding

/// A value of actions that a condition names, and what actions had in its place.
final class ActionMember {
  let term: ConditionTerm
  private var wasRead = false
  private var wasThere = false
  /// The members beside which it would be.
  private var names: Set<String> = []

  /// Types have a few members each, and logs a few hundred types: more names than these are keys of a dictionary.
  private static let nameLimit = 1_000

  init(_ term: ConditionTerm) { self.term = term }

  /// Takes note of what an action had.
  func note(_ value: JSONValue?, at pointer: JSONPointer, in root: JSONValue?) {
    guard !wasThere else { return }
    wasRead = true
    wasThere = value != nil
    guard value == nil, let root, names.count < Self.nameLimit else { return }
    var place = root
    for token in pointer.tokens {
      guard let next = place[JSONPointer([token])] else { break }
      place = next
    }
    if case .object(let object) = place { names.formUnion(object.lazy.map(\.name)) }
  }

  /// That no action had it, if so: mistyped, perhaps. For instance
  /// `no action that was looked at has data/animlaId. Did you mean "animalId"?`
  var absence: QuestionHint? {
    guard wasRead, !wasThere else { return nil }
    switch term {
    case .data(let pointer), .meta(let pointer): return absence(of: pointer)
    default: return nil
    }
  }

  private func absence(of pointer: JSONPointer) -> QuestionHint {
    // Which part of the pointer is missing differs from action to action: what is like any of them may be meant.
    var suggestions: [String] = []
    for token in pointer.tokens {
      let known = NameSuggestion.suggestions(for: token, among: names.sorted())
      for suggestion in known where suggestion != token && !suggestions.contains(suggestion) {
        suggestions.append(suggestion)
      }
    }
    return QuestionHint("no action that was looked at has \(term)", suggestions: suggestions)
  }
}
