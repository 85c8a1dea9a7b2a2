import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
package import Platform
import TestSupport

/// A program with a recorded store and snapshots, which dispatches, closes, crashes and restarts at random, and its
/// knowledge.
@MainActor package struct RecordedProgram {
  /// The connection between the program and the log.
  package enum Way: String, Sendable, CaseIterable {
    /// A recorder that listens to a store.
    case recorder
    /// A store that writes before it publishes.
    case recordingStore = "recording-store"
    /// A store that is an actor, and records several actions as one decision.
    case logStore = "log-store"
  }

  /// A mistake of the program, which must be caught.
  package enum Mistake: Sendable {
    /// It treats dispatched actions as durable.
    case acknowledgesBeforeSync
  }

  /// Its knowledge so far.
  package let knowledge = Locked(Knowledge())
  /// The flaws found at restarts.
  package private(set) var flaws: [Flaw] = []

  private let door: FaultyFileSystem
  private let way: Way
  private let level: Knowledge.Level
  private let mistake: Mistake?
  private var generator: SeededGenerator
  private var life: (any RecordedLife)?
  /// Actions accepted by the store whose result in the log is unknown.
  private var accepted: [(number: Int, attempt: Int)] = []

  /// Creates a program that is determined by a seed.
  init(seed: UInt64, way: Way, level: Knowledge.Level, mistake: Mistake?, door: FaultyFileSystem) {
    generator = SeededGenerator(seed: seed)
    self.way = way
    self.level = level
    self.mistake = mistake
    self.door = door
  }

  /// Performs a number of random steps. Errors end a life like that of a real program.
  mutating func run(steps: Int) async {
    for _ in 0..<steps {
      do {
        if life == nil { life = try await start() }
        guard let life else { continue }
        if try await step(life) { await end() }
        await life.settleSnapshots()
      } catch {
        if life?.isOver != false { await end() }
      }
    }
    await end()
  }

  private mutating func end() async {
    await life?.abandon()
    life = nil
    accepted = []
  }

  private mutating func start() async throws -> any RecordedLife {
    let configuration = configuration()
    let life: any RecordedLife =
      switch way {
      case .recorder: try ListeningLife(configuration, door)
      case .recordingStore: try RecordingLife(configuration, door)
      case .logStore: try await DecidingLife(configuration, door)
      }
    let found = await life.attempts
    // At a restart, the log must contain all known actions.
    let flaw = knowledge.withLock { knowledge in
      let flaw = knowledge.flaw(in: Knowledge.Found.sequence(found), atLeast: level)
      knowledge.noteFound(found)
      return flaw
    }
    if let flaw { flaws.append(flaw) }
    return life
  }

  private mutating func configuration() -> RecordingConfiguration<RecordedModel> {
    let levels: [Durability] = [.synced, .synced, .written, .queued]
    let log = LogConfiguration(
      durability: levels[Int.random(in: 0..<levels.count, using: &generator)],
      segmentLimitBytes: [1_500, 8_000, 1 << 20][Int.random(in: 0..<3, using: &generator)],
      environment: .simulated())
    let digests: [DigestPolicy] = [.onlyAtStart, .withSnapshots, .every(2)]
    return RecordingConfiguration(
      log: log, snapshots: .every(Int.random(in: 1...4, using: &generator)),
      retention: Bool.random(using: &generator) ? .newest(Int.random(in: 1...3, using: &generator)) : .exponential(),
      digests: digests[Int.random(in: 0..<digests.count, using: &generator)], onNotice: { _ in })
  }

  /// - Returns: Whether the life has ended.
  private mutating func step(_ life: any RecordedLife) async throws -> Bool {
    switch Int.random(in: 0..<16, using: &generator) {
    case 0:
      try await life.close()
      noteAccepted()
      noteSynced(life.lastRevision)
      return true
    case 1: return true
    case 2: try await life.refuse(.offered(0, by: 0))
    case 3..<6: try await flush(life)
    default:
      // The scheduler determines the batches of several actions; a single action is determined by the seed.
      let count = Bool.random(using: &generator) ? 1 : Int.random(in: 2...5, using: &generator)
      if let life = life as? DecidingLife {
        try await decide(life, count)
      } else {
        for _ in 0..<count { try await dispatch(life) }
      }
      if way == .recorder, Int.random(in: 0..<4, using: &generator) != 0 { try await flush(life) }
    }
    return false
  }

  private mutating func decide(_ life: DecidingLife, _ count: Int) async throws {
    let first = await life.attempts.count + 1
    let numbers = first..<first + count
    let attempts = knowledge.withLock { knowledge in knowledge.offerDecision(numbers) }
    let offered = Array(zip(numbers, attempts)).map { number, attempt in (number: number, attempt: attempt) }
    do {
      try await life.decide(offered.map { number, attempt in .offered(number, by: attempt) }, after: first - 1)
    } catch let error as LogError where error.code == .noSpace || error.code == .rejected {
      knowledge.withLock { knowledge in knowledge.noteRejected(offered) }
      throw error
    }
    accepted += offered
    noteAccepted()
    if mistake == .acknowledgesBeforeSync { noteSynced(first + count - 1) }
  }

  private mutating func dispatch(_ life: any RecordedLife) async throws {
    let number = await life.attempts.count + 1
    let attempt = knowledge.withLock { knowledge in knowledge.offer(number) }
    do {
      try await life.dispatch(.offered(number, by: attempt))
    } catch let error as LogError where error.code == .noSpace || error.code == .rejected {
      knowledge.withLock { knowledge in knowledge.noteRejected([(number, attempt)]) }
      throw error
    }
    accepted.append((number, attempt))
    if way == .recordingStore { noteAccepted() }
    if mistake == .acknowledgesBeforeSync {
      noteAccepted()
      noteSynced(number)
    }
  }

  private mutating func flush(_ life: any RecordedLife) async throws {
    let receipt: LogReceipt
    do {
      receipt = try await life.receipt()
    } catch {
      life.resume()
      throw error
    }
    noteAccepted()
    if receipt.durability == .synced || receipt.durability == .full { noteSynced(receipt.revision) }
  }

  private mutating func noteAccepted() {
    let written = accepted
    accepted = []
    knowledge.withLock { knowledge in knowledge.noteWritten(written) }
  }

  private func noteSynced(_ revision: Int) {
    knowledge.withLock { knowledge in knowledge.noteSynced(through: revision) }
  }
}

/// A model whose state contains the attempts of its actions.
enum RecordedModel: Model {
  /// The applied actions.
  struct State: Codable, Equatable, Sendable {
    /// The applied attempt of each number, beginning with number 1.
    var attempts: [Int] = []
    /// The text of the last action, so that snapshots differ in length.
    var text = ""
  }

  /// The actions.
  enum Action: Codable, Equatable, Sendable {
    /// The next number, offered by an attempt.
    case add(number: Int, attempt: Int, text: String)
  }

  /// The reason why an action is refused.
  enum Refusal: Error {
    /// The number is not the next one.
    case isOutOfOrder
  }

  static let name = "recorded"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout State, action: Action) throws {
    guard case .add(let number, let attempt, let text) = action else { return }
    state.text = text
    guard number == state.attempts.count + 1 else { throw Refusal.isOutOfOrder }
    state.attempts.append(attempt)
  }
}

extension RecordedModel.Action {
  /// Returns the action of an attempt. Its number determines its other fields, so a state can be derived from attempts.
  static func offered(_ number: Int, by attempt: Int) -> RecordedModel.Action {
    .add(number: number, attempt: attempt, text: text(of: attempt))
  }

  fileprivate static func text(of attempt: Int) -> String {
    let sizes = [0, 10, 300, 10, 1_500, 0, 6_000]
    let letter = UInt8(97 + attempt % 26)
    return String(decoding: Array(repeating: letter, count: sizes[attempt % sizes.count]), as: UTF8.self)
  }
}

extension RecordedModel.State {
  /// Creates the fold of attempts without a log, snapshots, the reducer or the engine.
  init(folding attempts: [Int]) {
    self.attempts = attempts
    text = attempts.last.map(RecordedModel.Action.text) ?? ""
  }
}

extension Knowledge.Found {
  /// Returns the contents of a log with the given attempts, beginning with number 1.
  static func sequence(_ attempts: [Int]) -> [Knowledge.Found] {
    attempts.enumerated().map { index, attempt in Knowledge.Found(number: index + 1, attempt: attempt) }
  }
}

/// One life of a recording program, from opening the log to its end.
@MainActor protocol RecordedLife: AnyObject {
  /// The attempts in the live state.
  var attempts: [Int] { get async }
  /// The last revision of the log.
  var lastRevision: Int { get }
  /// Whether recording has ended.
  var isOver: Bool { get }

  /// Dispatches an action that the reducer accepts.
  func dispatch(_ action: RecordedModel.Action) async throws
  /// Dispatches an action that the reducer refuses.
  func refuse(_ action: RecordedModel.Action) async throws
  /// Waits until all actions are in the log.
  func receipt() async throws -> LogReceipt
  /// Retries actions that could not be written.
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
    recorder = try Recorder(at: SimulatedLog.path, configuration: configuration, fileSystem: door)
    store = try recorder.makeStore()
  }

  var attempts: [Int] { store.state.attempts }
  var lastRevision: Int { recorder.logStatus.lastRevision }
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

  func receipt() async throws -> LogReceipt { try await recorder.receipt() }
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
    store = try RecordingStore(at: SimulatedLog.path, configuration: configuration, fileSystem: door)
  }

  var attempts: [Int] { store.state.attempts }
  var lastRevision: Int { store.logStatus.lastRevision }
  var isOver: Bool { isClosed || store.logStatus.failure != nil }

  func dispatch(_ action: RecordedModel.Action) throws { try store.dispatch(action: action) }

  func refuse(_ action: RecordedModel.Action) async throws {
    do { try store.dispatch(action: action) } catch is RecordedModel.Refusal {}
  }

  func receipt() async throws -> LogReceipt { try await store.receipt() }
  func resume() {}

  func close() async throws {
    // The log is released even if closing fails.
    isClosed = true
    try await store.close()
  }

  func abandon() async { await store.abandon() }
  func settleSnapshots() async { await store.settleSnapshots() }
}

/// A store that is an actor of its own.
@MainActor final class DecidingLife: RecordedLife {
  private let store: LogStore<RecordedModel>
  private var isClosed = false

  init(_ configuration: RecordingConfiguration<RecordedModel>, _ door: any LogFileSystem) async throws {
    store = try await LogStore.open(at: SimulatedLog.path, configuration: configuration, fileSystem: door)
  }

  var attempts: [Int] { get async { await store.state.attempts } }
  var lastRevision: Int { store.logStatus.lastRevision }
  var isOver: Bool { isClosed || store.logStatus.failure != nil }

  func dispatch(_ action: RecordedModel.Action) async throws { try await store.dispatch(action: action) }

  func decide(_ actions: [RecordedModel.Action], after revision: Int) async throws {
    try await store.dispatch(actions, expecting: revision)
  }

  func refuse(_ action: RecordedModel.Action) async throws {
    do { try await store.dispatch([action, action]) } catch is RecordedModel.Refusal {}
  }

  func receipt() async throws -> LogReceipt { try await store.receipt() }
  func resume() {}

  func close() async throws {
    // The log is released even if closing fails.
    isClosed = true
    try await store.close()
  }

  func abandon() async { await store.abandon() }
  func settleSnapshots() async { await store.settleSnapshots() }
}
