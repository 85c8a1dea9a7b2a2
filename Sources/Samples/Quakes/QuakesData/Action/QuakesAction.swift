/// What can happen to the quakes, by where it came from.
///
/// The names of cases and labels are the types and members of the records in a log: changing one changes the format and
/// needs a new schema version.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 10.
public enum QuakesAction: Hashable, Codable, Sendable {
  /// Somebody did something on a screen.
  case ui(_ action: UI)
  /// The data layer has news.
  case data(_ action: Data)
}
