#if canImport(SwiftUI)
public import ImmutableData
public import SwiftUI

extension Selector where repeat each Dependency: Equatable, Output: Equatable {
  /// Makes a property of values that change when they are not equal, whose parameters can change.
  ///
  /// The parameters are those of the initialiser of selectors that takes an id.
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

  /// Makes a property of values that change when they are not equal, whose parameters stay as they are.
  ///
  /// The parameters are those of the initialiser of selectors that takes an id.
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

  /// Replaces the parameters if `id` is another than before, and follows the store with them.
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

  /// Replaces the parameters if there was an id before, and follows the store with them; there is no id then.
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
