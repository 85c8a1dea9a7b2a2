import ActionLog
import EventSourcing
import ImmutableData

/// One life of a program that records: from the opening of the log to its end.
@MainActor protocol RecordedLife: AnyObject {
  /// What the live state is the fold of.
  var attempts: [Int] { get }
  /// The log's last action.
  var lastSeq: Int { get }
  /// Whether nothing more can be recorded.
  var isOver: Bool { get }

  /// Dispatches an action that the reducer accepts.
  func dispatch(_ action: RecordedModel.Action) throws
  /// Dispatches an action that it refuses.
  func refuse(_ action: RecordedModel.Action) async throws
  /// Waits until everything is in the log.
  func flush() async throws -> LogReceipt
  /// Tries again what the log did not take.
  func resume()
  func close() async throws
  func abandon() async
  func settleSnapshots() async
}

/// A store and the recorder that listens to it.
@MainActor final class ListeningLife: RecordedLife {
  private let recorder: Recorder<RecordedModel>
  private let store: Store<RecordedModel.State, RecordedModel.Action>

  init(_ configuration: RecordingConfiguration<RecordedModel>, _ door: any LogFileSystem) throws {
    recorder = try Recorder(opening: SimulatedLog.path, configuration: configuration, fileSystem: door)
    store = try recorder.makeStore()
  }

  var attempts: [Int] { store.state.attempts }
  var lastSeq: Int { recorder.logStatus.lastSeq }
  var isOver: Bool {
    switch recorder.status.phase {
    case .failed, .closed: true
    case .idle, .recording, .stopped: recorder.logStatus.failure != nil
    }
  }

  func dispatch(_ action: RecordedModel.Action) throws { try store.dispatch(action: action) }

  func refuse(_ action: RecordedModel.Action) async throws {
    do { try store.dispatch(action: action) } catch let error as RecordedModel.Refusal {
      try await recorder.recordRefusal(of: action, error: error)
    }
  }

  func flush() async throws -> LogReceipt { try await recorder.flush() }
  func resume() { recorder.resume() }
  func close() async throws { try await recorder.close() }
  func abandon() async { await recorder.abandon() }
  func settleSnapshots() async { await recorder.settleSnapshots() }
}

/// A store that writes before it publishes.
@MainActor final class RecordingLife: RecordedLife {
  private let store: RecordingStore<RecordedModel>
  private var isClosed = false

  init(_ configuration: RecordingConfiguration<RecordedModel>, _ door: any LogFileSystem) throws {
    store = try RecordingStore(opening: SimulatedLog.path, configuration: configuration, fileSystem: door)
  }

  var attempts: [Int] { store.state.attempts }
  var lastSeq: Int { store.logStatus.lastSeq }
  var isOver: Bool { isClosed || store.logStatus.failure != nil }

  func dispatch(_ action: RecordedModel.Action) throws { try store.dispatch(action: action) }

  func refuse(_ action: RecordedModel.Action) async throws {
    do { try store.dispatch(action: action) } catch is RecordedModel.Refusal {}
  }

  func flush() async throws -> LogReceipt { try await store.flush() }
  func resume() {}

  func close() async throws {
    // Whatever comes of it, the log is given back.
    isClosed = true
    try await store.close()
  }

  func abandon() async { await store.abandon() }
  func settleSnapshots() async { await store.settleSnapshots() }
}
