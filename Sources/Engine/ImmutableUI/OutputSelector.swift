/// The value that is shown, and when observers are told of a new one.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 2; the result function of Reselect.
public struct OutputSelector<State: Sendable, Output: Sendable>: Sendable {
  /// Selects the output: a pure function of the state.
  let select: @Sendable (State) -> Output
  /// Whether the second value, computed later, is worth telling after the first.
  let didChange: @Sendable (Output, Output) -> Bool

  /// Makes a selector of an output.
  ///
  /// - Parameters:
  ///   - select: A pure function of the state.
  ///   - didChange: Is given the output that was *computed* last and the one of this update. `true` publishes the new
  ///     one. The old one may never have been published: with a tolerance many small steps go unseen, however far they
  ///     lead.
  public init(
    select: @escaping @Sendable (State) -> Output,
    didChange: @escaping @Sendable (Output, Output) -> Bool
  ) {
    self.select = select
    self.didChange = didChange
  }
}

extension OutputSelector where Output: Equatable {
  /// Makes a selector of an output that is published when it is not equal (`!=`) to what it was.
  ///
  /// Collections that share their storage are equal without a look at their elements.
  ///
  /// - Parameter select: A pure function of the state.
  public init(select: @escaping @Sendable (State) -> Output) {
    self.init(select: select) { old, new in old != new }
  }
}
