#if canImport(SwiftUI)
public import ImmutableData
public import SwiftUI

/// A property of a view that shows a slice of the store of its environment and draws the view again when it changes.
///
/// Its listener lives as long as the view's identity. SwiftUI calls ``update()`` before each body, so whoever reads has
/// updated first. ``Selection`` is the same for everything that is no SwiftUI view.
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

  /// Makes a property whose parameters can change with the view that it belongs to.
  ///
  /// - Parameters:
  ///   - keyPath: The environment value that a ``Provider`` sets.
  ///   - id: Stands for everything that the closures capture: an equal id means equal closures.
  ///   - label: A name for debug output; `nil` for none.
  ///   - isIncluded: Whether an action can change the output, given the state before it; `nil` if any action can. It must
  ///     take constant time, and one that is wrong loses updates: leave it out when in doubt.
  ///   - dependencySelector: What the output is computed from; none to compute it at each update.
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

  /// Makes a property whose parameters stay as they are.
  ///
  /// The parameters are those of the initialiser of selectors that takes an id.
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

  /// The slice as it was published last.
  public var wrappedValue: Output {
    listener.output
  }
}

// `DynamicProperty` is not bound to the main actor, but SwiftUI evaluates bodies, and calls `update()` before them, there only.
// With `@preconcurrency` a call from elsewhere ends in a check at run time, not in a race.
extension Selector: @preconcurrency DynamicProperty {
  /// Passes the parameters to the listener and follows the store: SwiftUI calls it before each body.
  public mutating func update() {
    (replacement.parameters ?? parameters).update(listener)
    listener.listen(to: store)
  }
}

extension Selector {
  /// Replaces the parameters if `id` is another than before, and follows the store with them.
  ///
  /// For a wrapper around this one that keeps the parameters itself and calls this from its own `update()`, which SwiftUI
  /// calls after this one's. From then on the parameters of the initialiser are not used any more.
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

  /// Replaces the parameters if there was an id before, and follows the store with them; there is no id then.
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

  /// Parameters that were given after the initialiser's. A class, so that setting them is no change of a view's state.
  @MainActor private final class Replacement {
    var parameters: Parameters?
  }
}
#endif
