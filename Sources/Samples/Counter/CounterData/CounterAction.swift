/// What can happen to the counter.
///
/// The names of the cases are the types of the records in a log: changing one changes the format.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 3.
public enum CounterAction: Hashable, Codable, Sendable, CaseIterable {
  /// Somebody tapped the button that counts up.
  case didTapIncrementButton
  /// Somebody tapped the button that counts down.
  case didTapDecrementButton
}
