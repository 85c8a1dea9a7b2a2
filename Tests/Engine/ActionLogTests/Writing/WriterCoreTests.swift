import ActionLog
import ActionLogTesting
import TestSupport
import Testing

/// Tries every order of the events of a writer with five units against the rules of ``WriterCore``.
@Suite("Writer core", .timeLimit(.minutes(60)))
struct WriterCoreTests {
  @Test(arguments: [Durability.synced, .written, .interval(.seconds(1))], [1 << 20, 1])
  func rulesHoldInEveryOrder(_ durability: Durability, segmentLimitBytes: Int) throws {
    let first = try World(durability, segmentLimitBytes: segmentLimitBytes)
    var seen: Set = [first.situation]
    var worlds = [first]
    while let world = worlds.popLast() {
      try world.checkRules()
      try world.settle()
      for event in World.Event.allCases {
        var next = world
        if try next.perform(event), seen.insert(next.situation).inserted { worlds.append(next) }
      }
    }
    // Fewer would mean that events are not tried.
    #expect(seen.count > 1_000)
  }
}

/// A writer's core, and what a disk and its callers know.
private struct World {
  enum Event: String, CaseIterable {
    case accept, acceptByCaller, take, write, reject, failWrite, sync, endSync, failSync, endWork, close, reopen
  }

  /// A violation of a rule, after these events.
  private struct Violation: Error {
    var rule: String
    var events: String
  }

  /// What decides which events can follow and what they do.
  struct Situation: Hashable {
    private var ends: [Int]
    private var units: [[Int]]
    private var waiting: [Int: Bool]
    private var flags: [Bool]

    fileprivate init(_ world: World) {
      let status = world.status
      ends = [
        status.lastRevision, status.writtenRevision, status.syncedRevision, status.rejectionCount, world.syncedCount,
        world.sync?.ordinal ?? -1, world.write?.rolls.count ?? -1,
      ]
      units = [world.accepted, world.queued, world.write?.units ?? [], world.written]
      waiting = world.waiting
      flags = [
        world.isWorkerStarted, world.isClosing, status.isClosed, status.failure != nil, status.pendingBytes > 0,
        world.core.isUrgent,
      ]
    }
  }

  /// A batch that is being written.
  private struct Write {
    /// Those that are not yet on the disk.
    var units: [Int]
    var end: WriterPosition
    var rolls: [WriterQueue.Roll]
    var segment: WriterCore.Segment
  }

  private var core: WriterCore
  private var write: Write?
  /// The position that a sync under way reaches.
  private var sync: WriterPosition?
  private var isWorkerStarted = false
  private var isClosing = false
  /// The units that callers wait for, and whether until they are synced.
  private var waiting: [Int: Bool] = [:]
  private var outcomes: [Int: Result<LogReceipt, LogError>] = [:]
  private var accepted: [Int] = []
  /// The accepted units that no batch has.
  private var queued: [Int] = []
  /// The units that the disk has, in order, and how many of them survive a power cut.
  private var written: [Int] = []
  private var syncedCount = 0
  private var events: [Event] = []

  init(_ durability: Durability, segmentLimitBytes: Int) throws {
    let environment = LogEnvironment.test()
    let header = LogHeader(
      log: environment.makeLogID(), model: "counter", schema: 1, first: 1, epoch: 1, created: environment.now(),
      isSalted: false)
    let origin = WriterPosition(
      revision: 0, crc: 0, segment: 1, created: header.created, bytes: 100, holdsAction: false, schema: 1)
    let queue = WriterQueue(
      header: header, at: origin,
      configuration: LogConfiguration(
        durability: durability, segmentLimitBytes: segmentLimitBytes, environment: environment))
    let files = MemoryFileSystem()
    let segment = WriterCore.Segment(
      file: try files.open("/segment", for: .create), path: "/segment", identity: nil)
    core = WriterCore(queue: queue, segment: segment, written: origin, durability: durability)
  }

  private func require(_ condition: Bool, _ rule: String) throws {
    if !condition { throw Violation(rule: rule, events: events.map(\.rawValue).joined(separator: " ")) }
  }

  private var status: LogStatus { core.status }

  var situation: Situation { Situation(self) }

  // MARK: Events

  /// - Returns: Whether the event can follow.
  mutating func perform(_ event: Event) throws -> Bool {
    events.append(event)
    switch event {
    case .accept: return try accept(.soon)
    case .acceptByCaller: return try accept(.byCaller)
    case .take: return try take()
    case .write: return try endWrite()
    case .reject: return try stopWrite { core in core.reject(LogError(.noSpace, "full")) }
    case .failWrite: return try stopWrite { core in core.fail(LogError(.failed, "foreign")) }
    case .sync: return try beginSync()
    case .endSync: return try endSync()
    case .failSync:
      guard sync != nil else { return false }
      (sync, queued) = (nil, [])
      try apply { core in core.fail(LogError(.failed, "sync")) }
      return true
    case .endWork:
      guard isWorkerStarted else { return false }
      isWorkerStarted = core.continuesWork()
      return true
    case .close:
      // The driver closes files when nothing is written or synced.
      guard write == nil, sync == nil, !status.isClosed else { return false }
      if !isClosing, status.failure == nil {
        isClosing = true
        guard let effects = core.beginClosing() else { return false }
        try deliver(effects)
        return true
      }
      try apply { core in core.close() }
      try apply { core in core.finish() }
      return true
    case .reopen:
      guard isClosing, !status.isClosed else { return false }
      isClosing = false
      core.reopen()
      return true
    }
  }

  private mutating func apply(_ event: (inout WriterCore) -> WriterCore.Effects) throws {
    try deliver(event(&core))
  }

  private mutating func deliver(_ effects: WriterCore.Effects) throws {
    for outcome in effects.outcomes {
      let unit = outcome.ticket.ordinal
      try require(waiting[unit] != nil, "a caller gets one outcome")
      try record(outcome.result, of: unit)
    }
  }

  private mutating func record(_ outcome: Result<LogReceipt, LogError>, of unit: Int) throws {
    let needsSync = waiting.removeValue(forKey: unit) ?? false
    outcomes[unit] = outcome
    switch outcome {
    case .success:
      let kept = needsSync ? Array(written.prefix(syncedCount)) : written
      try require(kept.contains(unit), "an acknowledged unit is on the disk")
    case .failure(let error):
      if error.code == .noSpace { try require(!written.contains(unit), "a rejected unit is not on the disk") }
    }
  }

  private mutating func accept(_ trigger: WriteTrigger) throws -> Bool {
    guard accepted.count < 5 else { return false }
    let isUsable = status.failure == nil && !isClosing && !status.isClosed
    let ticket: LogTicket
    do {
      let (accepted, mustStart) = try core.accept(trigger: trigger) { (queue) throws(LogError) in
        try queue.add([.numbered(1)], now: { LogEnvironment.testStart })
        return true
      }
      ticket = try #require(accepted)
      if mustStart { try start() }
    } catch {
      try require(!isUsable, "an open writer accepts units")
      return false
    }
    try require(isUsable, "a closed or failed writer accepts nothing")
    try require(!accepted.contains(ticket.ordinal), "the number of a unit is never assigned again")
    accepted.append(ticket.ordinal)
    queued.append(ticket.ordinal)
    let needsSync = trigger == .soon && core.durability.waitsForSync
    waiting[ticket.ordinal] = needsSync
    if let known = core.wait(for: ticket, needsSync: needsSync, { _ in }) {
      try record(known, of: ticket.ordinal)
    } else if core.wake() {
      try start()
    }
    return true
  }

  private mutating func start() throws {
    try require(!isWorkerStarted, "the worker is scheduled at most once")
    isWorkerStarted = true
  }

  private mutating func take() throws -> Bool {
    guard write == nil else { return false }
    var spare: [UInt8] = []
    guard let portion = core.take(spare: &spare) else { return false }
    try require(status.failure == nil && !status.isClosed, "a failed or closed writer writes nothing")
    write = Write(
      units: queued, end: portion.batch.end, rolls: portion.batch.rolls, segment: portion.segment)
    queued = []
    return true
  }

  /// Writes up to the next roll or the end of the batch.
  private mutating func endWrite() throws -> Bool {
    guard var current = write else { return false }
    let ends = current.rolls.first
    // A roll syncs the old segment, so it waits for the sync under way.
    if ends != nil, sync != nil { return false }
    let end = ends?.before ?? current.end
    let added = current.units.prefix { unit in unit <= end.ordinal }
    written += added
    current.units.removeFirst(added.count)
    if !added.isEmpty || ends == nil {
      try apply { core in core.wrote(to: end, isLast: ends == nil, checksDirectory: true) }
    }
    guard let roll = ends else {
      write = nil
      // The worker may have ended before: whoever writes syncs, too, or wakes it.
      if core.durability.waitsForSync, core.wake() { try start() }
      return true
    }
    guard status.failure == nil else {
      write = nil
      return true
    }
    if let (_, target) = core.syncTarget() {
      syncedCount = written.count
      try apply { core in core.synced(to: target, headFailure: nil) }
    }
    core.began(current.segment, at: roll.after)
    syncedCount = written.count
    try apply { core in core.synced(to: roll.after, headFailure: nil) }
    current.rolls.removeFirst()
    write = current
    return true
  }

  private mutating func stopWrite(_ event: (inout WriterCore) -> WriterCore.Effects) throws -> Bool {
    guard write != nil else { return false }
    (write, queued) = (nil, [])
    try apply(event)
    return true
  }

  private mutating func beginSync() throws -> Bool {
    guard sync == nil, let (_, end) = core.syncTarget() else { return false }
    try require(status.failure == nil && !status.isClosed, "a failed or closed writer syncs nothing")
    sync = end
    return true
  }

  private mutating func endSync() throws -> Bool {
    guard let end = sync else { return false }
    sync = nil
    syncedCount = max(syncedCount, written.count { unit in unit <= end.ordinal })
    try apply { core in core.synced(to: end, headFailure: nil) }
    return true
  }

  // MARK: Rules

  func checkRules() throws {
    try require(
      status.syncedRevision <= status.writtenRevision && status.writtenRevision <= status.lastRevision,
      "synced ≤ written ≤ accepted")
    try require(status.writtenRevision == written.count, "the written end is that of the disk")
    try require(status.syncedRevision <= syncedCount, "what counts as synced survives a power cut")
    for (unit, outcome) in outcomes {
      if case .success = outcome { try require(written.contains(unit), "an acknowledged unit is kept") }
    }
  }

  /// Lets the calls that are under way and the worker end.
  func settle() throws {
    var world = self
    while world.write != nil {
      if world.sync != nil { _ = try world.endSync() }
      _ = try world.endWrite()
    }
    _ = try world.endSync()
    while world.isWorkerStarted {
      if try world.take() { while world.write != nil { _ = try world.endWrite() } }
      if world.core.durability.waitsForSync, try world.beginSync() { _ = try world.endSync() }
      world.isWorkerStarted = world.core.continuesWork()
      try world.checkRules()
    }
    try require(world.waiting.isEmpty, "no caller waits without a worker")
  }
}
