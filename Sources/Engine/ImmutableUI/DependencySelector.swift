/// A value that an output is computed from, and when it counts as changed.
///
/// Dependencies guard expensive outputs: an output in O(*n* log *n*) is computed anew only if one of its dependencies,
/// compared in O(*n*), changed. An output in constant time needs none.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 2; the input selectors of Reselect.
public struct DependencySelector<State: Sendable, Dependency: Sendable>: Sendable {
  /// Selects the dependency: a pure function of the state.
  let select: @Sendable (State) -> Dependency
  /// Whether the second value, selected later, counts as a change of the first.
  let didChange: @Sendable (Dependency, Dependency) -> Bool

  /// Makes a selector of a dependency.
  ///
  /// - Parameters:
  ///   - select: A pure function of the state.
  ///   - didChange: Is given the value of the last update and the one of this update. `true` means that the output must
  ///     be computed anew.
  public init(
    select: @escaping @Sendable (State) -> Dependency,
    didChange: @escaping @Sendable (Dependency, Dependency) -> Bool
  ) {
    self.select = select
    self.didChange = didChange
  }
}

extension DependencySelector where Dependency: Equatable {
  /// Makes a selector of a dependency that changes when it is not equal (`!=`) to what it was.
  ///
  /// Collections that share their storage are equal without a look at their elements.
  ///
  /// - Parameter select: A pure function of the state.
  public init(select: @escaping @Sendable (State) -> Dependency) {
    self.init(select: select) { old, new in old != new }
  }
}
