public import ImmutableData
import Observation

/// A slice of a store that is kept up to date: the counterpart of the SwiftUI wrapper `Selector` for everything that is
/// no SwiftUI view.
///
/// Reading ``output`` passes the parameters on and listens to the store before it looks, so there is always an output.
/// Reading is observed (`Observation`): who reads inside `withObservationTracking` is told when the output, the parameters
/// or the store change.
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
/// What is observed is the latest state, not every state: three actions in a row can be one change. Directly after a
/// dispatch ``output`` is still what it was, because listeners run when the main actor is free.
///
/// The store may be a live one or a place in a history: a `HistoryCursor` drives the same selections.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 2.
@MainActor
public final class Selection<
  Store: ImmutableData.Selector & ImmutableData.Streamer & AnyObject, each Dependency: Sendable, Output: Sendable
> {
  /// The store that is read. Another one takes effect at the next read.
  public var store: Store {
    didSet { if store !== oldValue { input.changes += 1 } }
  }

  private var parameters: SelectorParameters<Store.State, Store.Action, repeat each Dependency, Output>
  private let listener: Listener<Store.State, Store.Action, repeat each Dependency, Output>
  private let input = Input()

  /// Makes a selection whose parameters can change with `update(id:…)`.
  ///
  /// - Parameters:
  ///   - store: The store to read.
  ///   - id: Stands for everything that the closures capture: an equal id means equal closures.
  ///   - label: A name for debug output; `nil` for none.
  ///   - isIncluded: Whether an action can change the output, given the state before it; `nil` if any action can. It must
  ///     take constant time, and one that is wrong loses updates: leave it out when in doubt.
  ///   - dependencySelector: What the output is computed from; none to compute it at each update.
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

  /// Makes a selection whose parameters stay as they are.
  ///
  /// The parameters are those of the initialiser of selectors that takes an id.
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

  /// The output as it was published last.
  ///
  /// - Complexity: O(1); that of the selectors at the first read, and at the first one after a change of the id or of the
  ///   store.
  public var output: Output {
    _ = input.changes
    parameters.update(listener)
    listener.listen(to: store)
    return listener.output
  }
}

// MARK: - Parameters

extension Selection {
  /// Replaces the parameters if `id` is another than before. It takes effect at the next read.
  ///
  /// With the same id new closures are ignored.
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

  /// Replaces the parameters if there was an id before; there is none then. It takes effect at the next read.
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

/// Tells observers that a selection reads something else now. The outputs themselves are told by the listener.
@MainActor @Observable private final class Input {
  var changes = 0
}
