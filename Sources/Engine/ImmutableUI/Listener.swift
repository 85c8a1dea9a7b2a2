package import ImmutableData

/// Follows a store for one reader. It owns an ``AsyncListener`` and creates a new one when the parameters or the store change.
///
/// Parameters are compared by their id alone, because closures cannot be compared: with the same id, new closures are ignored. The running task holds the store, so a store lives at least as long as a listener follows it;
/// it does not hold the `Listener`, whose end cancels it.
@MainActor
package final class Listener<
  State: Sendable, Action: Sendable, each Dependency: Sendable, Output: Sendable
> {
  private var parameters: SelectorParameters<State, Action, repeat each Dependency, Output>

  private weak var store: AnyObject?
  private var listener: AsyncListener<State, Action, repeat each Dependency, Output>?
  private var task: Task<Void, any Error>?

  package init(_ parameters: SelectorParameters<State, Action, repeat each Dependency, Output>) {
    self.parameters = parameters
  }

  deinit {
    task?.cancel()
  }

  /// The last published output. Reading it is observed (`Observation`).
  ///
  /// - Precondition: ``listen(to:)`` was called.
  package var output: Output {
    guard let listener else { fatalError("missing output") }
    return listener.output
  }
}

// MARK: - Parameters

extension Listener {
  /// Replaces the parameters if their id differs from the previous one. ``output`` does not change until ``listen(to:)``.
  package func update(_ parameters: SelectorParameters<State, Action, repeat each Dependency, Output>) {
    guard self.parameters.id != parameters.id else { return }
    self.parameters = parameters
    store = nil
  }
}

// MARK: - Listening

extension Listener {
  /// Follows a store, unless it already does. When the call returns, there is an output.
  ///
  /// The first output and the stream are made in one synchronous step, so that no action is missed.
  package func listen(
    to store: some ImmutableData.Selector<State> & ImmutableData.Streamer<State, Action> & AnyObject
  ) {
    guard self.store !== store else { return }
    self.store = store

    let listener = AsyncListener(parameters)
    listener.update(with: store)
    self.listener = listener

    task?.cancel()
    if let store = store as? any ViewStreamer<State, Action> {
      task = Self.followShownStates(of: store, with: listener)
      return
    }
    let stream = store.makeStream()
    task = Task { try await Self.follow(store, with: listener, from: stream) }
  }

  /// Listens to the streams that a store makes for views.
  private static func followShownStates(
    of store: some ViewStreamer<State, Action>,
    with listener: AsyncListener<State, Action, repeat each Dependency, Output>
  ) -> Task<Void, any Error> {
    let stream = store.makeViewStream()
    return Task {
      try await listener.listen(to: stream, with: store)
      while !Task.isCancelled {
        listener.update(with: store)
        try await listener.listen(to: store.makeViewStream(), with: store)
      }
    }
  }

  /// Listens to the stream of a store, and to a new one each time the stream of a restarting streamer ends.
  ///
  /// Restarting keeps the ``AsyncListener``, because views observe its output. It reads the state once, without calling the filter,
  /// and publishes the output if it changed.
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
