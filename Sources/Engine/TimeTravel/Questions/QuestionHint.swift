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
    ([headline] + (excerpt?.lines ?? [])).joined(separator: "\n  ")
  }

  /// The description without the excerpt.
  package var headline: String { error.headline }

  /// What was seen and what may have been meant, without the reasons between them: for places that have no room for those.
  package var essence: String { error.essence ?? headline }

  private var error: TimeTravelError { TimeTravelError(.notFound, message, suggestions: suggestions) }
}
