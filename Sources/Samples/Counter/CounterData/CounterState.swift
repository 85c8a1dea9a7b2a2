/// The whole state of the counter: one number.
///
/// The number itself is private to the package; people read it through ``selectValue()``.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 3.
public struct CounterState: Hashable, Codable, Sendable {
  package var value: Int

  /// Makes a state.
  public init(_ value: Int = 0) {
    self.value = value
  }
}

extension CounterState {
  /// A selector of the counter's number.
  public static func selectValue() -> @Sendable (Self) -> Int {
    { state in state.value }
  }
}
