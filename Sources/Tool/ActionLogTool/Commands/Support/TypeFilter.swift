import TimeTravel

/// The types that `--type` names, and afterwards what may be wrong with its patterns.
///
/// It is a class of its own and is not shared between threads.
final class TypeFilter {
  private struct Wish {
    let text: String
    let pattern: TypePattern
    var wasMet = false
  }

  private var wishes: [Wish]
  /// The types that were met, for as long as a pattern fits none of them.
  private var types: Set<String> = []

  /// Enough for the types of every log.
  private static let typeLimit = 1_000

  /// - Parameter texts: The patterns; none fits every type.
  init(_ texts: [String]) {
    wishes = texts.map { text in Wish(text: text, pattern: TypePattern(text)) }
  }

  /// Whether one of the patterns fits.
  func matches(_ type: String) -> Bool {
    var isMatch = wishes.isEmpty
    var isUnmet = false
    for index in wishes.indices {
      if wishes[index].pattern.matches(type) {
        wishes[index].wasMet = true
        isMatch = true
      } else if !wishes[index].wasMet {
        isUnmet = true
      }
    }
    if isUnmet, types.count < Self.typeLimit { types.insert(type) }
    return isMatch
  }

  /// What may be wrong with patterns that fit nothing, as the types that were met show.
  var hints: [QuestionHint] {
    let types = types.sorted()
    return wishes.compactMap { wish in wish.wasMet ? nil : Self.hint(on: wish.text, types) }
  }

  private static func hint(on text: String, _ types: [String]) -> QuestionHint? {
    let lowercased = TypePattern(text.lowercased())
    let message = "--type \(text) fits no action that was looked at"
    if let type = types.first(where: { type in lowercased.matches(type.lowercased()) }) {
      return QuestionHint("\(message); upper and lower case are told apart, and there is '\(type)'")
    }
    guard !text.contains("*") else { return nil }
    let parts = Set(types.flatMap { type in type.split(separator: ".").map(String.init) })
    guard let near = Suggestion.closest(to: text, among: parts.sorted() + types) else { return nil }
    return QuestionHint(message, suggestions: [near])
  }
}
