package import ImmutableData

/// Follows a store for one reader: owns an ``AsyncListener`` and makes a new one when the parameters or the store change.
///
/// Parameters are compared by their id alone, because closures cannot be compared: with the same id, or without one, new
/// closures are ignored. The running task holds the store, so a store lives at least as long as somebody listens to it;
/// it does not hold the `Listener`, whose end cancels it.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 2.
@MainActor
package final class Listener<
  State: Sendable, Action: Sendable, each Dependency: Sendable, Output: Sendable
> {
  private var id: AnyHashable?
  private var label: String?
  private var filter: (@Sendable (State, Action) -> Bool)?
  private var dependencySelector: (repeat DependencySelector<State, each Dependency>)
  private var outputSelector: OutputSelector<State, Output>

  private weak var store: AnyObject?
  private var listener: AsyncListener<State, Action, repeat each Dependency, Output>?
  private var task: Task<Void, any Error>?

  /// Makes a listener whose parameters are replaced when its id changes.
  ///
  /// The parameters are those of ``AsyncListener``.
  package init(
    id: some Hashable,
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

  /// Makes a listener whose parameters stay as they are.
  package init(
    label: String? = nil,
    filter isIncluded: (@Sendable (State, Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<State, each Dependency>,
    outputSelector: OutputSelector<State, Output>
  ) {
    self.id = nil
    self.label = label
    self.filter = isIncluded
    self.dependencySelector = (repeat each dependencySelector)
    self.outputSelector = outputSelector
  }

  deinit {
    task?.cancel()
  }

  /// The output that was published last. Reading it is observed (`Observation`).
  ///
  /// - Precondition: ``listen(to:)`` was called.
  package var output: Output {
    guard let listener else { fatalError("missing output") }
    return listener.output
  }
}

// MARK: - Parameters

extension Listener {
  /// Takes the parameters if `id` is another than before; ``output`` stays the old one until ``listen(to:)``.
  package func update(
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (State, Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<State, each Dependency>,
    outputSelector: OutputSelector<State, Output>
  ) {
    let id = AnyHashable(id)
    guard self.id != id else { return }
    replace(
      id: id, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
  }

  /// Takes the parameters if there was an id before; there is none then.
  package func update(
    label: String? = nil,
    filter isIncluded: (@Sendable (State, Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<State, each Dependency>,
    outputSelector: OutputSelector<State, Output>
  ) {
    guard id != nil else { return }
    replace(
      id: nil, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
  }

  private func replace(
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
    store = nil
  }
}

// MARK: - Listening

extension Listener {
  /// Follows a store, unless it does already. When it returns there is an output.
  ///
  /// The first output and the stream are made in one synchronous stretch, so no action falls between them.
  package func listen(
    to store: some ImmutableData.Selector<State> & ImmutableData.Streamer<State, Action> & AnyObject
  ) {
    guard self.store !== store else { return }
    self.store = store

    let listener = AsyncListener<State, Action, repeat each Dependency, Output>(
      label: label,
      filter: filter,
      dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector
    )
    listener.update(with: store)
    self.listener = listener

    let stream = store.makeStream()
    task?.cancel()
    task = Task { try await Self.follow(store, with: listener, from: stream) }
  }

  /// Listens to the stream of a store, and to the next one if its end says so.
  ///
  /// Starting again keeps the ``AsyncListener``, because views observe its output: it looks at the state once, past the
  /// filter, and publishes if that changed what it had.
  private static func follow<Store: ImmutableData.Selector<State> & ImmutableData.Streamer<State, Action>>(
    _ store: Store,
    with listener: AsyncListener<State, Action, repeat each Dependency, Output>,
    from stream: Store.Stream
  ) async throws {
    try await listener.listen(to: stream, with: store)
    while store is any RestartingStreamer, !Task.isCancelled {
      listener.update(with: store)
      try await listener.listen(to: store.makeStream(), with: store)
    }
  }
}
