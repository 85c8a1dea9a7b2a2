import ActionLog
import ActionLogTesting
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing
import TimeTravel

// One at a time: the model counts the encodings of all tests.
@Suite(.serialized) struct ExcerptTests {
  /// The states of an excerpt, made as a page makes them.
  private static func states(_ excerpt: HistoryExcerpt) throws -> [StateTree] {
    var states = [excerpt.base]
    for step in excerpt.steps {
      let state = StateTree(try step.changes.apply(to: states[states.count - 1].root))
      if let keyframe = step.keyframe { #expect(keyframe == state) }
      states.append(state)
    }
    return states
  }

  @Test(arguments: Seeds.batches) func changesLeadToEveryState(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 4) {
      let log = try StockLog(seed: seed, actions: 60, snapshots: seed % 2 == 0 ? [] : [7, 20, 44])
      let history = try log.history()
      for range in [0...60, 0...0, 10...45, 60...60, 21...22] {
        let excerpt = try history.excerpt(of: range)
        #expect(excerpt.first == range.lowerBound && excerpt.last == range.upperBound && excerpt.cut == nil)
        #expect(
          try Self.states(excerpt) == log.states[range].map { state in try StateTree(encoding: state) }, "seed \(seed)")
        #expect(excerpt.steps.map(\.record.revision) == Array(range.dropFirst()))
      }
    }
  }

  @Test func excerptTakesTheNewestActions() throws {
    let log = try StockLog(seed: 1, actions: 60, snapshots: [])
    let excerpt = try log.history().excerpt(of: 10...50, limits: ExcerptLimits(actions: 15))
    #expect(excerpt.first == 35 && excerpt.last == 50)
    #expect(excerpt.cut?.asked == 10 && excerpt.cut?.reason == .count)
    #expect(try Self.states(excerpt) == log.states[35...50].map { state in try StateTree(encoding: state) })
  }

  @Test(arguments: [1_500, 2_500, 4_000, 8_000]) func excerptTakesTheNewestBytes(bytes: Int) throws {
    let log = try StockLog(seed: 1, actions: 60, snapshots: [])
    let excerpt = try log.history().excerpt(of: 0...60, limits: ExcerptLimits(bytes: bytes))
    #expect(excerpt.first > 0 && excerpt.last == 60)
    #expect(excerpt.cut?.asked == 0 && excerpt.cut?.reason == .size)
    #expect(try Self.states(excerpt) == log.states[excerpt.first...60].map { state in try StateTree(encoding: state) })
    #expect(excerpt.steps.reduce(0) { size, step in size + step.record.rawLine.count } <= bytes)
  }

  @Test func largeFirstStateIsRefused() throws {
    let log = try StockLog(seed: 1, actions: 20, snapshots: [])
    let error = #expect(throws: LogError.self) {
      try log.history().excerpt(of: 0...20, limits: ExcerptLimits(bytes: 10))
    }
    #expect(error?.code == .beyondLimit)
    #expect(error?.message.hasSuffix("and the limit is 10") == true)
  }

  @Test func missingRevisionsAreRefused() throws {
    let log = try StockLog(seed: 1, actions: 20, snapshots: [])
    let error = #expect(throws: TimeTravelError.self) { try log.history().excerpt(of: 3...21) }
    #expect(error?.code == .revisionOutOfRange)
  }

  @Test func keyframesTakeAQuarterOfTheChanges() throws {
    let log = try StockLog(seed: 3, actions: 60, snapshots: [])
    let excerpt = try log.history().excerpt(of: 0...60)
    var (changes, keyframes, since) = (0, 0, 0)
    var size = excerpt.base.root.bytes().count
    for step in excerpt.steps {
      let count = step.changes.document.bytes().count
      changes += count
      since += count
      // Between two states there are at most four times the bytes of the first one, and one action.
      #expect(since - count <= 4 * size)
      guard let keyframe = step.keyframe else { continue }
      size = keyframe.root.bytes().count
      keyframes += size
      since = 0
    }
    #expect(keyframes > 0)
    #expect(keyframes < changes)
  }

  @Test func plainStatesAreEncodedOnce() throws {
    let disk = MemoryFileSystem()
    let writer = try LogWriter.open(at: "log", model: Tally.name, schema: 1, fileSystem: disk)
    for _ in 0..<100 { _ = try writer.writeNow([LogDraft(type: "add", data: Array("{}".utf8))]) }
    try writer.closeNow()
    let history = try History<Tally>(at: "log", fileSystem: disk)
    let before = Tally.encodings.withLock { count in count }
    let excerpt = try history.excerpt(of: 0...100)
    let encodings = Tally.encodings.withLock { count in count } - before
    #expect(try Self.states(excerpt).last == StateTree(["count": 100]))
    // The first state is encoded again for the first action, and for each keyframe.
    let keyframes = excerpt.steps.count { step in step.keyframe != nil }
    #expect(encodings <= 104 + keyframes, "\(encodings), \(keyframes)")
  }

  /// Progress is reported every 4 096 actions. That of the states that are compared has its own reports.
  @Test func theProgressEndsWhereComparingBegins() throws {
    let disk = MemoryFileSystem()
    let writer = try LogWriter.open(at: "log", model: Tally.name, schema: 1, fileSystem: disk)
    _ = try writer.writeNow((0..<9_000).map { _ in LogDraft(type: "add", data: Array("{}".utf8)) })
    try writer.closeNow()
    let steps = Locked<[ReplayProgress]>([])
    var options = ReplayOptions()
    options.progress = { step in steps.withLock { steps in steps.append(step) } }
    let history = try History<Tally>(at: "log", fileSystem: disk)
    _ = try history.excerpt(of: 0...9_000, limits: ExcerptLimits(actions: 4_000), options: options) { _, _ in }
    let reported = steps.withLock { steps in steps }
    #expect(reported.contains { step in step.revision > 4_000 }, "\(reported)")
    #expect(reported.allSatisfy { step in step.revision <= 5_000 && step.actionsLimit == 5_000 }, "\(reported)")
  }

  @Test func eachComparisonIsReported() throws {
    let log = try StockLog(seed: 1, actions: 60, snapshots: [])
    let calls = Locked<[Int]>([])
    _ = try log.history().excerpt(of: 10...50) { done, total in
      #expect(total == 40)
      calls.withLock { calls in calls.append(done) }
    }
    #expect(calls.withLock { calls in calls } == Array(1...40))
  }
}

/// A model without shared storage that counts how often its state is encoded.
private enum Tally: Model {
  struct State: Codable, Equatable, Sendable {
    var count = 0

    enum CodingKeys: CodingKey { case count }

    init() {}

    init(from decoder: any Decoder) throws {
      count = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .count)
    }

    func encode(to encoder: any Encoder) throws {
      encodings.withLock { count in count += 1 }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(count, forKey: .count)
    }
  }

  enum Action: Codable, Equatable, Sendable { case add }

  static let encodings = Locked(0)
  static let name = "tally"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout State, action: Action) { state.count += 1 }
}
