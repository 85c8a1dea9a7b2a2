import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

/// A second thread decodes ahead of the fold. It must not be observable: whenever its work runs, or if it never runs, state,
/// report, progress and errors are the same as without it.
@MainActor @Suite struct DecodingAheadTests {
  private static let actionCount = 5_000
  private let disk = MemoryFileSystem()

  /// The time at which the second thread's work runs.
  enum Interleaving: CaseIterable, Sendable {
    case never, atOnce, byChance, onThreads
  }

  private func executor(_ interleaving: Interleaving) -> DecodingExecutor {
    switch interleaving {
    case .never: return DecodingExecutor { _ in }
    case .atOnce: return DecodingExecutor { work in work() }
    case .onThreads: return .thread()
    case .byChance:
      let contents = Locked((waiting: [@Sendable () -> Void](), random: SeededGenerator(seed: 7)))
      return DecodingExecutor { work in
        let due = contents.withLock { contents in
          contents.waiting.append(work)
          let count = Int.random(in: 0...contents.waiting.count, using: &contents.random)
          defer { contents.waiting.removeFirst(count) }
          return Array(contents.waiting.prefix(count))
        }
        for work in due { work() }
      }
    }
  }

  /// The result of a replay, with the reported progress.
  private struct Outcome: Equatable {
    var state: TallyState?
    var revision: Int?
    var report: ReplayReport?
    var error: String?
    var progress: [ReplayProgress]
  }

  private func replay<M: TallyModel>(
    _ model: M.Type, at revision: Int?, checksDigests: Bool = false, by interleaving: Interleaving?
  ) throws -> Outcome {
    let progress = Locked<[ReplayProgress]>([])
    var options = ReplayOptions()
    options.checksDigests = checksDigests
    options.chunkBytes = 8_192
    options.decodesAhead = interleaving != nil
    options.progress = { step in progress.withLock { progress in progress.append(step) } }
    if let interleaving {
      let executor = executor(interleaving)
      options.makeExecutor = { executor }
    }
    let history = try History<M>(at: "log", fileSystem: disk)
    do {
      let replayed = try history.replay(to: revision, options: options)
      return Outcome(
        state: replayed.state, revision: replayed.revision, report: replayed.report,
        progress: progress.withLock { progress in progress })
    } catch {
      return Outcome(error: "\(error)", progress: progress.withLock { progress in progress })
    }
  }

  /// Writes a log with a base, digests, several segments, an undecodable action, and names that one of the models refuses.
  private func write(undecodableAt strange: Int? = nil) throws {
    let writer = try LogWriter.open(
      at: "log", model: "tally", schema: 1, fileSystem: disk,
      configuration: reproducible(Tally.self, durability: .written, segmentLimitBytes: 200_000).log)
    _ = try writer.writeNow([LogDraft(type: "@base", data: Array(#"{"state":{"sum":5,"names":[]}}"#.utf8))])
    var drafts: [LogDraft] = []
    for number in 1...Self.actionCount {
      switch number {
      case strange: drafts.append(LogDraft(type: "sing", data: Array("{}".utf8)))
      case _ where number % 1_000 == 0:
        drafts.append(LogDraft(type: "name", data: Array(#"{"_0":"a long name"}"#.utf8)))
      default: drafts.append(LogDraft(type: "add", data: Array("{\"_0\":\(number)}".utf8)))
      }
      if number % 777 == 0 { drafts.append(LogDraft(type: "@digest", data: Array(#"{"state":"","reducer":""}"#.utf8))) }
      guard number % 250 == 0 else { continue }
      _ = try writer.writeNow(drafts)
      drafts = []
    }
    try writer.closeNow()
  }

  @Test(arguments: Interleaving.allCases)
  func twoThreadsGiveTheSameOutcome(interleaving: Interleaving) throws {
    try write()
    for checksDigests in [false, true] {
      for revision in [nil, 0, 1, 1_554, 3_000, Self.actionCount, Self.actionCount + 1] {
        let alone = try replay(Tally.self, at: revision, checksDigests: checksDigests, by: nil)
        #expect((alone.error == nil) == (revision != Self.actionCount + 1))
        let together = try replay(Tally.self, at: revision, checksDigests: checksDigests, by: interleaving)
        #expect(together == alone, "at \(revision ?? -1)")
      }
    }
    #expect(try replay(Tally.self, at: nil, by: nil).progress.map(\.revision) == [0, 4_096])
  }

  @Test(arguments: Interleaving.allCases)
  func errorsComeAtTheSameRevision(interleaving: Interleaving) throws {
    // The reducer refuses an action long before the undecodable one, which the second thread reaches first.
    try write(undecodableAt: 2_900)
    let refused = try replay(TerseTally.self, at: nil, by: interleaving)
    #expect(refused.error?.contains("seq 1000") == true)
    #expect(try replay(TerseTally.self, at: nil, by: nil) == refused)
    let undecodable = try replay(Tally.self, at: nil, by: interleaving)
    #expect(undecodable.error?.contains("has no action 'sing'") == true)
    #expect(try replay(Tally.self, at: nil, by: nil) == undecodable)
    // An action after the target is not decoded.
    let before = try replay(Tally.self, at: 2_899, by: interleaving)
    #expect(before.revision == 2_899)
    #expect(try replay(Tally.self, at: 2_899, by: nil) == before)
  }

  @Test(arguments: Interleaving.allCases)
  func damageEndsTheFoldAtTheSameRevision(interleaving: Interleaving) throws {
    try write()
    let path = try #require(try History<Tally>(at: "log", fileSystem: disk).reader.segments.last?.path)
    try disk.flipBit(0, ofByte: 50_000, in: path)
    let alone = try replay(Tally.self, at: nil, by: nil)
    let last = try #require(alone.report?.damage?.lastIntactRevision)
    #expect(last > 2_000 && last < Self.actionCount)
    for revision in [nil, last, last + 1] {
      let together = try replay(Tally.self, at: revision, by: interleaving)
      #expect(together == (try replay(Tally.self, at: revision, by: nil)))
    }
  }

  @Test(arguments: Interleaving.allCases)
  func aCanceledReplayEnds(interleaving: Interleaving) throws {
    try write()
    let questions = Locked(0)
    var options = ReplayOptions()
    options.chunkBytes = 8_192
    let executor = executor(interleaving)
    options.makeExecutor = { executor }
    options.isCancelled = {
      questions.withLock { questions in
        questions += 1
        return questions == 3
      }
    }
    let history = try History<Tally>(at: "log", fileSystem: disk)
    #expect(throws: CancellationError.self) { try history.state(options: options) }
    #expect(questions.withLock { questions in questions } == 3, "asked every 1 024 actions, and not again")
  }

  @Test(arguments: [20, 500])
  func aSmallLogStartsNoThread(count: Int) throws {
    let store = try RecordingStore<Tally>(
      at: "log", configuration: reproducible(Tally.self, durability: .written), fileSystem: disk)
    for number in 1...count { try store.dispatch(action: .add(number)) }
    var options = ReplayOptions()
    options.makeExecutor = {
      Issue.record("a thread was started")
      return .thread()
    }
    #expect(try History<Tally>(at: "log", fileSystem: disk).replay(options: options).revision == count)
  }

  @Test func readingStaysCloseToTheFold() throws {
    try write()
    let reads = Ticks()
    let watched = FaultyFileSystem(disk) { call in
      if call.operation == .read, call.path.hasSuffix(".jsonl") { _ = reads.next() }
    }
    var options = ReplayOptions()
    options.chunkBytes = 4_096
    options.makeExecutor = { DecodingExecutor { work in work() } }
    let readsAtProgress = Locked<[Int64]>([])
    options.isCancelled = {
      readsAtProgress.withLock { list in list.append(reads.next()) }
      return false
    }
    _ = try History<Tally>(at: "log", fileSystem: watched).state(options: options)
    let counts = readsAtProgress.withLock { list in list }
    // 1 024 actions of 140 bytes take 35 reads. If everything were read at the start, the later counts would be consecutive.
    #expect(zip(counts, counts.dropFirst()).allSatisfy { earlier, later in later - earlier > 20 }, "\(counts)")
  }
}
