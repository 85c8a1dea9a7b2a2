/// What a reader of a store says about its output, kept to be passed to a ``Listener`` before each read.
struct SelectorParameters<State: Sendable, Action: Sendable, each Dependency: Sendable, Output: Sendable> {
  /// `nil` when the parameters never change. An optional that holds `nil` is an id, too.
  let id: AnyHashable?
  let label: String?
  let filter: (@Sendable (State, Action) -> Bool)?
  let dependencySelector: (repeat DependencySelector<State, each Dependency>)
  let outputSelector: OutputSelector<State, Output>

  init(
    id: AnyHashable?,
    label: String?,
    filter isIncluded: (@Sendable (State, Action) -> Bool)?,
    dependencySelector: repeat DependencySelector<State, each Dependency>,
    outputSelector: OutputSelector<State, Output>
  ) {
    self.id = id
    self.label = label
    self.filter = isIncluded
    self.dependencySelector = (repeat each dependencySelector)
    self.outputSelector = outputSelector
  }

  @MainActor func makeListener() -> Listener<State, Action, repeat each Dependency, Output> {
    if let id {
      Listener(
        id: id, label: label, filter: filter, dependencySelector: repeat each dependencySelector,
        outputSelector: outputSelector)
    } else {
      Listener(
        label: label, filter: filter, dependencySelector: repeat each dependencySelector,
        outputSelector: outputSelector)
    }
  }

  @MainActor func update(_ listener: Listener<State, Action, repeat each Dependency, Output>) {
    if let id {
      listener.update(
        id: id, label: label, filter: filter, dependencySelector: repeat each dependencySelector,
        outputSelector: outputSelector)
    } else {
      listener.update(
        label: label, filter: filter, dependencySelector: repeat each dependencySelector,
        outputSelector: outputSelector)
    }
  }
}
