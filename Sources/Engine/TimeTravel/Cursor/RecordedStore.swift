package import ActionLog
public import EventSourcing
public import ImmutableData

/// A store together with what records it.
public enum RecordedStore<M: Model>: Sendable {
  /// A store that a recorder made or listens to.
  case store(Store<M.State, M.Action>, recorder: Recorder<M>)
  /// A store that writes each action before it accepts it.
  case recordingStore(RecordingStore<M>)

  /// The path of the log.
  @MainActor public var path: String {
    switch self {
    case .store(_, let recorder): recorder.path
    case .recordingStore(let store): store.path
    }
  }

  /// The state.
  @MainActor public var state: M.State {
    switch self {
    case .store(let store, _): store.state
    case .recordingStore(let store): store.state
    }
  }

  /// The revision after all accepted actions.
  @MainActor public var lastRevision: Int {
    switch self {
    case .store(let store, let recorder):
      store.accepted.revision(of: store.accepted.count) ?? recorder.status.revision
    case .recordingStore(let store): store.logStatus.lastRevision
    }
  }

  /// Waits until the device has everything accepted so far, as `Recorder.sync()` and `RecordingStore.sync()`.
  ///
  /// - Throws: The error of these methods.
  public func sync() async throws {
    switch self {
    case .store(_, let recorder): try await recorder.sync()
    case .recordingStore(let store): try await store.sync()
    }
  }

  /// Finishes and releases the log, as `Recorder.close()` and `RecordingStore.close()`.
  ///
  /// - Throws: The error of these methods.
  public func close() async throws {
    switch self {
    case .store(_, let recorder): try await recorder.close()
    case .recordingStore(let store): try await store.close()
    }
  }
}

extension RecordedStore {
  @MainActor var configuration: RecordingConfiguration<M> {
    switch self {
    case .store(_, let recorder): recorder.configuration
    case .recordingStore(let store): store.configuration
    }
  }

  @MainActor package var fileSystem: any LogFileSystem {
    switch self {
    case .store(_, let recorder): recorder.fileSystem
    case .recordingStore(let store): store.fileSystem
    }
  }

  @MainActor package func makeStream() -> ActionStream<(oldState: M.State, action: M.Action)> {
    switch self {
    case .store(let store, _): store.makeStream()
    case .recordingStore(let store): store.makeStream()
    }
  }

  @MainActor package func dispatch(_ action: M.Action, _ meta: RecordMeta? = nil) throws {
    switch self {
    case .recordingStore(let store): try store.dispatch(action: action, meta: meta)
    case .store(let store, _):
      guard let meta else { return try store.dispatch(action: action) }
      let merged = RecordMeta.current.map { current in current.merging(meta) } ?? meta
      try RecordMeta.$current.withValue(merged) { try store.dispatch(action: action) }
    }
  }

  /// Waits until everything accepted so far is in the log.
  @MainActor func settle() async throws {
    switch self {
    case .store(_, let recorder): _ = try await recorder.receipt()
    case .recordingStore(let store): _ = try await store.receipt()
    }
  }

  @MainActor func history() async throws -> History<M> {
    try await History<M>(at: path, fileSystem: fileSystem)
  }

  @MainActor func opening(
    _ path: String, _ configuration: RecordingConfiguration<M>
  ) async throws -> RecordedStore {
    switch self {
    case .store:
      let recorder = try await Recorder<M>.open(at: path, configuration: configuration, fileSystem: fileSystem)
      return .store(try recorder.makeStore(), recorder: recorder)
    case .recordingStore:
      return .recordingStore(
        try await RecordingStore<M>.open(at: path, configuration: configuration, fileSystem: fileSystem))
    }
  }
}
