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

  /// Creates a property whose parameters can change with its view.
  ///
  /// - Parameters:
  ///   - keyPath: The environment value that a ``Provider`` sets.
  ///   - id: Identifies everything that the closures capture: an equal id means equal closures.
  ///   - label: A name for debug output; `nil` for none.
  ///   - isIncluded: Whether an action can change the output, given the state before it; `nil` if any action can. It must take
  ///     constant time. A wrong one misses updates, so omit it when in doubt.
  ///   - dependencySelector: The values that the output is computed from; none to compute it at each update.
  ///   - outputSelector: The output.
  public init(
    _ keyPath: KeyPath<EnvironmentValues, Store>,
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<Store.State, each Dependency>,
    outputSelector: OutputSelector<Store.State, Output>
  ) {
    self.init(
      keyPath,
      SelectorParameters(
        id: AnyHashable(id), label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
        outputSelector: outputSelector))
  }

  /// Creates a property whose parameters do not change.
  ///
  /// The parameters are those of the initializer that takes an id.
  public init(
    _ keyPath: KeyPath<EnvironmentValues, Store>,
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<Store.State, each Dependency>,
    outputSelector: OutputSelector<Store.State, Output>
  ) {
    self.init(
      keyPath,
      SelectorParameters(
        id: nil, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
        outputSelector: outputSelector))
  }

  private init(
    _ keyPath: KeyPath<EnvironmentValues, Store>,
    _ parameters: Parameters
  ) {
    self._store = Environment(keyPath)
    self._listener = SwiftUI.State(wrappedValue: parameters.makeListener())
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
    (replacement.parameters ?? parameters).update(listener)
    listener.listen(to: store)
  }
}

extension Selector {
  /// Replaces the parameters if `id` differs from the previous one, and follows the store with them.
  ///
  /// This is for a wrapper around this one that keeps the parameters itself and calls this from its own `update()`, which SwiftUI
  /// calls after this one's. The parameters of the initializer are not used after that.
  public mutating func update(
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<Store.State, each Dependency>,
    outputSelector: OutputSelector<Store.State, Output>
  ) {
    replacement.parameters = Parameters(
      id: AnyHashable(id), label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
    update()
  }

  /// Replaces the parameters, removes the id, if there was one, and follows the store with them.
  ///
  /// See `update(id:…)`.
  public mutating func update(
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<Store.State, each Dependency>,
    outputSelector: OutputSelector<Store.State, Output>
  ) {
    replacement.parameters = Parameters(
      id: nil, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
    update()
  }

  /// The parameters that were set after initialization. A class, so that setting them does not change a view's state.
  @MainActor private final class Replacement {
    var parameters: Parameters?
  }
}

extension Selector where repeat each Dependency: Equatable, Output: Equatable {
  /// Creates a property of `Equatable` values whose parameters can change.
  ///
  /// The parameters are those of the initializer that takes selectors and an id.
  public init(
    _ keyPath: KeyPath<EnvironmentValues, Store>,
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (Store.State) -> each Dependency,
    outputSelector: @escaping @Sendable (Store.State) -> Output
  ) {
    self.init(
      keyPath, id: id, label: label, filter: isIncluded,
      dependencySelector: repeat DependencySelector(select: each dependencySelector),
      outputSelector: OutputSelector(select: outputSelector))
  }

  /// Creates a property of `Equatable` values whose parameters do not change.
  ///
  /// The parameters are those of the initializer that takes selectors and an id.
  public init(
    _ keyPath: KeyPath<EnvironmentValues, Store>,
    label: String? = nil,
    filter isIncluded: (@Sendable (Store.State, Store.Action) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (Store.State) -> each Dependency,
    outputSelector: @escaping @Sendable (Store.State) -> Output
  ) {
    self.init(
      keyPath, label: label, filter: isIncluded,
      dependencySelector: repeat DependencySelector(select: each dependencySelector),
      outputSelector: OutputSelector(select: outputSelector))
  }

  /// Replaces the parameters if `id` differs from the previous one, and follows the store with them.
  public mutating func update(
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

  /// Replaces the parameters, removes the id, if there was one, and follows the store with them.
  public mutating func update(
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
#endif
