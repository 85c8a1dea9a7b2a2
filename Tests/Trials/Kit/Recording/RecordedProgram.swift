import ActionLog
import EventSourcing
import ImmutableData
package import Platform
import TestSupport

/// A program that dispatches to a store which is recorded, with snapshots; that closes, dies and starts again at random;
/// and what it was told meanwhile.
@MainActor package struct RecordedProgram {
  /// What stands between the program and the log.
  package enum Way: String, Sendable, CaseIterable {
    /// A recorder that listens to a store.
    case recorder
    /// A store that writes before it publishes.
    case recordingStore = "recording-store"
  }

  /// What the program does wrong in the runs that must be caught.
  package enum Mistake: Sendable {
    /// It takes what was dispatched for durable.
    case acknowledgesBeforeSync
  }

  /// What it was told so far.
  package let knowledge = Locked(Knowledge())
  /// What must not be, found when it started again.
  package private(set) var flaws: [Flaw] = []

  private let door: FaultyFileSystem
  private let way: Way
  private let level: Knowledge.Level
  private let mistake: Mistake?
  private var generator: SeededGenerator
  private var life: (any RecordedLife)?
  /// Accepted by the store; of the log nothing is known yet.
  private var accepted: [(number: Int, attempt: Int)] = []

  /// A program whose course follows from a seed.
  init(seed: UInt64, way: Way, level: Knowledge.Level, mistake: Mistake?, door: FaultyFileSystem) {
    generator = SeededGenerator(seed: seed)
    self.way = way
    self.level = level
    self.mistake = mistake
    self.door = door
  }

  /// Does a number of random steps; errors end a life as they would end a program's.
  mutating func run(steps: Int) async {
    for _ in 0..<steps {
      do {
        if life == nil { life = try start() }
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

  private mutating func start() throws -> any RecordedLife {
    let configuration = configuration()
    let life: any RecordedLife =
      switch way {
      case .recorder: try ListeningLife(configuration, door)
      case .recordingStore: try RecordingLife(configuration, door)
      }
    let found = life.attempts
    // What the program finds when it starts again holds what it was told before.
    let flaw = knowledge.withLock { knowledge in
      let flaw = knowledge.flaw(in: Knowledge.Found.sequence(found), atLeast: level)
      knowledge.noteFound(found)
      return flaw
    }
    if let flaw { flaws.append(flaw) }
    return life
  }

  private mutating func configuration() -> RecordingConfiguration<RecordedModel> {
    let levels: [Durability] = [.commit, .commit, .flush, .memory]
    let log = LogConfiguration(
      durability: levels[Int.random(in: 0..<levels.count, using: &generator)],
      segmentLimitBytes: [1_500, 8_000, 1 << 20][Int.random(in: 0..<3, using: &generator)],
      environment: .simulated())
    let digests: [DigestPolicy] = [.onlyAtStart, .withSnapshots, .every(2)]
    return RecordingConfiguration(
      log: log, snapshots: .every(Int.random(in: 1...4, using: &generator)),
      retention: Bool.random(using: &generator) ? .newest(Int.random(in: 1...3, using: &generator)) : .exponential(),
      digests: digests[Int.random(in: 0..<digests.count, using: &generator)])
  }

  /// - Returns: Whether the life is over.
  private mutating func step(_ life: any RecordedLife) async throws -> Bool {
    switch Int.random(in: 0..<16, using: &generator) {
    case 0:
      try await life.close()
      noteAccepted()
      noteSynced(life.lastSeq)
      return true
    case 1: return true
    case 2: try await life.refuse(.offered(0, by: 0))
    case 3..<6: try await flush(life)
    default:
      // What a recorder is given at once comes in batches that the scheduler makes; a single action follows from the seed.
      for _ in 0..<(Bool.random(using: &generator) ? 1 : Int.random(in: 2...5, using: &generator)) {
        try dispatch(life)
      }
      if way == .recorder, Int.random(in: 0..<4, using: &generator) != 0 { try await flush(life) }
    }
    return false
  }

  private mutating func dispatch(_ life: any RecordedLife) throws {
    let number = life.attempts.count + 1
    let attempt = knowledge.withLock { knowledge in knowledge.offer(number) }
    do {
      try life.dispatch(.offered(number, by: attempt))
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
      receipt = try await life.flush()
    } catch {
      life.resume()
      throw error
    }
    noteAccepted()
    if receipt.durability == .commit || receipt.durability == .full { noteSynced(receipt.seq) }
  }

  private mutating func noteAccepted() {
    let written = accepted
    accepted = []
    knowledge.withLock { knowledge in knowledge.noteWritten(written) }
  }

  private func noteSynced(_ seq: Int) {
    knowledge.withLock { knowledge in knowledge.noteSynced(through: seq) }
  }
}
