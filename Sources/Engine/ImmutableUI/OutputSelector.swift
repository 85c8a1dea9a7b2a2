package import ImmutableData

/// The selection of the displayed value, and the test whether a new value is published.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 2; the result function of Reselect.
public struct OutputSelector<State: Sendable, Output: Sendable>: Sendable {
  /// Selects the output: a pure function of the state.
  let select: @Sendable (State) -> Output
  /// Whether the second value, computed later, is published after the first.
  let didChange: @Sendable (Output, Output) -> Bool

  /// Creates a selector of an output.
  ///
  /// - Parameters:
  ///   - select: A pure function of the state.
  ///   - didChange: Receives the output that was *computed* last and that of this update. `true` publishes the new one. The old one
  ///     may never have been published: with a tolerance, many small changes can go unpublished, however far they lead.
  public init(
    select: @escaping @Sendable (State) -> Output,
    didChange: @escaping @Sendable (Output, Output) -> Bool
  ) {
    self.select = select
    self.didChange = didChange
  }
}

extension OutputSelector where Output: Equatable {
  /// Creates a selector of an output that is published when it is not equal (`!=`) to the previous one.
  ///
  /// Collections that share their storage are equal without a comparison of their elements.
  public init(select: @escaping @Sendable (State) -> Output) {
    self.init(select: select) { old, new in old != new }
  }
}

/// The selection of a value that an output is computed from, and the test whether it changed.
///
/// Dependencies guard expensive outputs: an output in O(*n* log *n*) is recomputed only if one of its dependencies, compared in
/// O(*n*), changed. An output in constant time needs none.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 2; the input selectors of Reselect.
public typealias DependencySelector<State: Sendable, Dependency: Sendable> = OutputSelector<State, Dependency>

/// All that determines an output except the store: what a ``Selection`` and the SwiftUI wrapper `Selector` select.
public struct SelectorParameters<State: Sendable, Action: Sendable, each Dependency: Sendable, Output: Sendable> {
  let id: AnyHashable
  let label: String?
  let filter: (@Sendable (State, Action) -> Bool)?
  let dependencySelector: (repeat DependencySelector<State, each Dependency>)
  let outputSelector: OutputSelector<State, Output>

  /// Creates parameters.
  ///
  /// - Parameters:
  ///   - id: Identifies everything that the closures capture: an equal id means equal closures. Omit it if they capture nothing.
  ///   - label: A name for debug output; `nil` for none.
  ///   - isIncluded: Whether an action can change the output, given the state before it; `nil` if any action can. It must take
  ///     constant time. A wrong one misses updates, so omit it when in doubt.
  ///   - dependencySelector: The values that the output is computed from; none to compute it at each update.
  ///   - outputSelector: The output.
  public init(
    id: some Hashable = ConstantID(),
    label: String? = nil,
    filter isIncluded: (@Sendable (State, Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<State, each Dependency>,
    outputSelector: OutputSelector<State, Output>
  ) {
    self.id = AnyHashable(id)
    self.label = label
    self.filter = isIncluded
    self.dependencySelector = (repeat each dependencySelector)
    self.outputSelector = outputSelector
  }
}

extension SelectorParameters where repeat each Dependency: Equatable, Output: Equatable {
  /// Creates parameters of `Equatable` values; the parameters are those of the initializer that takes selectors.
  public init(
    id: some Hashable = ConstantID(),
    label: String? = nil,
    filter isIncluded: (@Sendable (State, Action) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (State) -> each Dependency,
    outputSelector: @escaping @Sendable (State) -> Output
  ) {
    self.init(
      id: id, label: label, filter: isIncluded,
      dependencySelector: repeat DependencySelector(select: each dependencySelector),
      outputSelector: OutputSelector(select: outputSelector))
  }
}

/// The id of ``SelectorParameters`` whose closures capture nothing. It differs from every other id.
public struct ConstantID: Hashable, Sendable {
  /// Creates the id.
  public init() {}
}

/// Whether a pack is empty.
package func isEmpty<each Element>(_ element: repeat each Element) -> Bool {
  for _ in repeat each element { return false }
  return true
}

/// Whether one of several values changed. The comparison stops at the first change.
package func didChange<each Element>(
  _ didChange: repeat @escaping @Sendable (each Element, each Element) -> Bool,
  lhs: repeat each Element,
  rhs: repeat each Element
) -> Bool {
  for (didChange, lhs, rhs) in repeat (each didChange, each lhs, each rhs) {
    if didChange(lhs, rhs) { return true }
  }
  return false
}

extension ImmutableData.Selector {
  /// Selects several values from one state.
  @MainActor package func selectMany<each Value: Sendable>(
    _ select: repeat @escaping @Sendable (State) -> each Value
  ) -> (repeat each Value) {
    self.select { state in (repeat (each select)(state)) }
  }
}
