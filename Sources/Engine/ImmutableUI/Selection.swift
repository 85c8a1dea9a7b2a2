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

  /// Creates a selection.
  public init(
    _ store: Store, _ parameters: SelectorParameters<Store.State, Store.Action, repeat each Dependency, Output>
  ) {
    self.store = store
    self.parameters = parameters
    listener = Listener(parameters)
  }

  /// The last published output.
  ///
  /// - Complexity: O(1); that of the selectors at the first read, and at the first one after a change of the id or of the store.
  public var output: Output {
    _ = input.changes
    listener.update(parameters)
    listener.listen(to: store)
    return listener.output
  }
}

// MARK: - Parameters

extension Selection {
  /// Replaces the parameters if their id differs from the previous one. They take effect at the next read.
  ///
  /// With the same id, new closures are ignored.
  public func update(_ parameters: SelectorParameters<Store.State, Store.Action, repeat each Dependency, Output>) {
    guard parameters.id != self.parameters.id else { return }
    self.parameters = parameters
    input.changes += 1
  }

  /// The output for other parameters: ``update(_:)`` and ``output``.
  public func output(
    for parameters: SelectorParameters<Store.State, Store.Action, repeat each Dependency, Output>
  ) -> Output {
    update(parameters)
    return output
  }
}

/// Notifies observers of new parameters or a new store. The listener notifies them of outputs.
@MainActor @Observable private final class Input {
  var changes = 0
}

extension Selection where repeat each Dependency: Equatable, Output: Equatable {
  /// Creates a selection of `Equatable` values. See ``SelectorParameters`` for its parameters.
  public convenience init(
    _ store: Store,
    id: some Hashable = ConstantID(),
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (Store.State) -> each Dependency,
    outputSelector: @escaping @Sendable (Store.State) -> Output
  ) {
    self.init(
      store,
      SelectorParameters(
        id: id, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
        outputSelector: outputSelector))
  }
}
