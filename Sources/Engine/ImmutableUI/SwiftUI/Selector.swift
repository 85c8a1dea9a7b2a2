#if canImport(SwiftUI)
public import ImmutableData
public import SwiftUI

/// A property of a view that holds a slice of the store of its environment, and draws the view again when the slice changes.
///
/// Its listener lives as long as the view's identity. SwiftUI calls ``update()`` before each body, so every read follows an update.
/// ``Selection`` is the counterpart outside of SwiftUI views.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 2; `useSelector` in React Redux.
@MainActor @propertyWrapper
public struct Selector<
  Store: ImmutableData.Selector & ImmutableData.Streamer & AnyObject, each Dependency: Sendable, Output: Sendable
> {
  @Environment private var store: Store
  private typealias Parameters = SelectorParameters<Store.State, Store.Action, repeat each Dependency, Output>

  @SwiftUI.State private var listener: Listener<Store.State, Store.Action, repeat each Dependency, Output>
  @SwiftUI.State private var replacement: Replacement
  private let parameters: Parameters

  /// Creates a property.
  public init(
    _ keyPath: KeyPath<EnvironmentValues, Store>,
    _ parameters: SelectorParameters<Store.State, Store.Action, repeat each Dependency, Output>
  ) {
    self._store = Environment(keyPath)
    self._listener = SwiftUI.State(wrappedValue: Listener(parameters))
    self._replacement = SwiftUI.State(wrappedValue: Replacement())
    self.parameters = parameters
  }

  /// The last published slice.
  public var wrappedValue: Output {
    listener.output
  }
}

// `DynamicProperty` is not isolated to the main actor, but SwiftUI evaluates bodies, and calls `update()` before them, only there.
// With `@preconcurrency`, a call from elsewhere fails a check at run time instead of causing a race.
extension Selector: @preconcurrency DynamicProperty {
  /// Passes the parameters to the listener and follows the store. SwiftUI calls this before each body.
  public mutating func update() {
    listener.update(replacement.parameters ?? parameters)
    listener.listen(to: store)
  }
}

extension Selector {
  /// Replaces the parameters if their id differs from the previous one, and follows the store with them.
  ///
  /// This is for a wrapper around this one that keeps the parameters itself and calls this from its own `update()`, which SwiftUI
  /// calls after this one's. The parameters of the initializer are not used after that.
  public mutating func update(
    _ parameters: SelectorParameters<Store.State, Store.Action, repeat each Dependency, Output>
  ) {
    replacement.parameters = parameters
    update()
  }

  /// The parameters that were set after initialization. A class, so that setting them does not change a view's state.
  @MainActor private final class Replacement {
    var parameters: Parameters?
  }

  /// Creates a property from single parameters; see ``SelectorParameters``.
  public init(
    _ keyPath: KeyPath<EnvironmentValues, Store>,
    id: some Hashable = ConstantID(),
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<Store.State, each Dependency>,
    outputSelector: OutputSelector<Store.State, Output>
  ) {
    self.init(
      keyPath,
      SelectorParameters(
        id: id, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
        outputSelector: outputSelector))
  }
}

extension Selector where repeat each Dependency: Equatable, Output: Equatable {
  /// Creates a property of `Equatable` values from single parameters; see ``SelectorParameters``.
  public init(
    _ keyPath: KeyPath<EnvironmentValues, Store>,
    id: some Hashable = ConstantID(),
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (Store.State) -> each Dependency,
    outputSelector: @escaping @Sendable (Store.State) -> Output
  ) {
    self.init(
      keyPath,
      SelectorParameters(
        id: id, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
        outputSelector: outputSelector))
  }
}

extension Selector {
  /// Creates a property that selects from the store of its state, which a ``Provider`` of that store sets.
  public init<State: EnvironmentState>(
    _ parameters: SelectorParameters<State, State.EnvironmentAction, repeat each Dependency, Output>
  ) where Store == ViewStore<State, State.EnvironmentAction> {
    self.init(State.storeKeyPath, parameters)
  }
}
#endif
