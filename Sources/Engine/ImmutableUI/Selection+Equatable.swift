public import ImmutableData

extension Selection where repeat each Dependency: Equatable, Output: Equatable {
  /// Makes a selection of values that change when they are not equal, whose parameters can change.
  ///
  /// The parameters are those of the initialiser of selectors that takes an id.
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

  /// Makes a selection of values that change when they are not equal, whose parameters stay as they are.
  ///
  /// The parameters are those of the initialiser of selectors that takes an id.
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

  /// Replaces the parameters if `id` is another than before. It takes effect at the next read.
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

  /// Replaces the parameters if there was an id before; there is none then. It takes effect at the next read.
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
