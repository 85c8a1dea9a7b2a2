public import ImmutableData
import Observation

/// A slice of a store that is kept up to date: the counterpart of the SwiftUI wrapper `Selector` outside of SwiftUI views.
///
/// Reading ``output`` first passes the parameters on and listens to the store, so there is always an output. Reading is observed
/// (`Observation`): code that reads inside `withObservationTracking` is notified when the output, the parameters or the store
/// change.
///
/// ```swift
/// let selection = Selection(store, outputSelector: CounterState.selectValue())
/// withObservationTracking {
///   print(selection.output)
/// } onChange: {
///   // draw again, soon
/// }
/// ```
///
/// The latest state is observed, not every state: three consecutive actions can be one change. Immediately after a dispatch,
/// ``output`` is still the previous one, because listeners run when the main actor is free.
///
/// The store may be a live one or a position in a history: a `HistoryObserver` drives the same selections.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 2.
@MainActor
public final class Selection<
  Store: ImmutableData.Selector & ImmutableData.Streamer & AnyObject, each Dependency: Sendable, Output: Sendable
> {
  /// The store to read. A new store takes effect at the next read.
  public var store: Store {
    didSet { if store !== oldValue { input.changes += 1 } }
  }

  private var parameters: SelectorParameters<Store.State, Store.Action, repeat each Dependency, Output>
  private let listener: Listener<Store.State, Store.Action, repeat each Dependency, Output>
  private let input = Input()

  /// Creates a selection whose parameters can change with `update(id:…)`.
  ///
  /// - Parameters:
  ///   - store: The store to read.
  ///   - id: Identifies everything that the closures capture: an equal id means equal closures.
  ///   - label: A name for debug output; `nil` for none.
  ///   - isIncluded: Whether an action can change the output, given the state before it; `nil` if any action can. It must take
  ///     constant time. A wrong one misses updates, so omit it when in doubt.
  ///   - dependencySelector: The values that the output is computed from; none to compute it at each update.
  ///   - outputSelector: The output.
  public init(
    _ store: Store,
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<Store.State, each Dependency>,
    outputSelector: OutputSelector<Store.State, Output>
  ) {
    self.store = store
    self.parameters = SelectorParameters(
      id: AnyHashable(id), label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
    self.listener = parameters.makeListener()
  }

  /// Creates a selection whose parameters do not change.
  ///
  /// The parameters are those of the initializer that takes an id.
  public init(
    _ store: Store,
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<Store.State, each Dependency>,
    outputSelector: OutputSelector<Store.State, Output>
  ) {
    self.store = store
    self.parameters = SelectorParameters(
      id: nil, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
    self.listener = parameters.makeListener()
  }

  /// The last published output.
  ///
  /// - Complexity: O(1); that of the selectors at the first read, and at the first one after a change of the id or of the store.
  public var output: Output {
    _ = input.changes
    parameters.update(listener)
    listener.listen(to: store)
    return listener.output
  }
}

// MARK: - Parameters

extension Selection {
  /// Replaces the parameters if `id` differs from the previous one. They take effect at the next read.
  ///
  /// With the same id, new closures are ignored.
  public func update(
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<Store.State, each Dependency>,
    outputSelector: OutputSelector<Store.State, Output>
  ) {
    replace(
      SelectorParameters(
        id: AnyHashable(id), label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
        outputSelector: outputSelector))
  }

  /// Replaces the parameters and removes the id, if there was one. They take effect at the next read.
  public func update(
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<Store.State, each Dependency>,
    outputSelector: OutputSelector<Store.State, Output>
  ) {
    replace(
      SelectorParameters(
        id: nil, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
        outputSelector: outputSelector))
  }

  private func replace(
    _ parameters: SelectorParameters<Store.State, Store.Action, repeat each Dependency, Output>
  ) {
    guard parameters.id != self.parameters.id else { return }
    self.parameters = parameters
    input.changes += 1
  }
}

/// Notifies observers of new parameters or a new store. The listener notifies them of outputs.
@MainActor @Observable private final class Input {
  var changes = 0
}

extension Selection where repeat each Dependency: Equatable, Output: Equatable {
  /// Creates a selection of `Equatable` values whose parameters can change.
  ///
  /// The parameters are those of the initializer that takes selectors and an id.
  public convenience init(
    _ store: Store,
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (Store.State) -> each Dependency,
    outputSelector: @escaping @Sendable (Store.State) -> Output
  ) {
    self.init(
      store, id: id, label: label, filter: isIncluded,
      dependencySelector: repeat DependencySelector(select: each dependencySelector),
      outputSelector: OutputSelector(select: outputSelector))
  }

  /// Creates a selection of `Equatable` values whose parameters do not change.
  ///
  /// The parameters are those of the initializer that takes selectors and an id.
  public convenience init(
    _ store: Store,
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (Store.State) -> each Dependency,
    outputSelector: @escaping @Sendable (Store.State) -> Output
  ) {
    self.init(
      store, label: label, filter: isIncluded,
      dependencySelector: repeat DependencySelector(select: each dependencySelector),
      outputSelector: OutputSelector(select: outputSelector))
  }

  /// Replaces the parameters if `id` differs from the previous one. They take effect at the next read.
  public func update(
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (Store.State) -> each Dependency,
    outputSelector: @escaping @Sendable (Store.State) -> Output
  ) {
    update(
      id: id, label: label, filter: isIncluded,
      dependencySelector: repeat DependencySelector(select: each dependencySelector),
      outputSelector: OutputSelector(select: outputSelector))
  }

  /// Replaces the parameters and removes the id, if there was one. They take effect at the next read.
  public func update(
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (Store.State) -> each Dependency,
    outputSelector: @escaping @Sendable (Store.State) -> Output
  ) {
    update(
      label: label, filter: isIncluded,
      dependencySelector: repeat DependencySelector(select: each dependencySelector),
      outputSelector: OutputSelector(select: outputSelector))
  }
}
