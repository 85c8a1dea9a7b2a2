import ActionLog
import JSONCoding

/// The values that a condition reads of a record, parsed on first use.
final class RecordValues {
  let record: LogRecord
  private var parsedData: JSONValue?
  private var parsedMeta: JSONValue?

  init(_ record: LogRecord) { self.record = record }

  func data() throws -> JSONValue {
    if let parsedData { return parsedData }
    let value = try JSONValue(parsing: record.dataBytes)
    parsedData = value
    return value
  }

  func meta() throws -> JSONValue? {
    if let parsedMeta { return parsedMeta }
    parsedMeta = try record.meta.map { meta throws(JSONError) in try JSONValue(parsing: meta) }
    return parsedMeta
  }
}

/// A value of actions that a condition reads, and whether any action had it.
final class ActionMember {
  let term: ConditionTerm
  private var wasRead = false
  private var wasThere = false
  /// The names of the members next to the missing one.
  private var names: Set<String> = []

  /// Types have a few members each, and logs a few hundred types. More names than this are keys of a dictionary.
  private static let nameLimit = 1_000

  init(_ term: ConditionTerm) { self.term = term }

  /// Records whether an action had the value.
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

  /// What a member has met in a range of actions.
  struct Sightings: Sendable {
    fileprivate var wasRead: Bool
    fileprivate var wasThere: Bool
    fileprivate var names: Set<String>
  }

  var sightings: Sightings { Sightings(wasRead: wasRead, wasThere: wasThere, names: names) }

  /// Adds what was met in a later range.
  func add(_ other: Sightings) {
    wasRead = wasRead || other.wasRead
    wasThere = wasThere || other.wasThere
    if names.count < Self.nameLimit { names.formUnion(other.names) }
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
      let known = NameSuggestion.suggestions(for: token, among: names.sorted())
      for suggestion in known where suggestion != token && !suggestions.contains(suggestion) {
        suggestions.append(suggestion)
      }
    }
    return QuestionHint("no checked action has \(term)", suggestions: suggestions)
  }
}
