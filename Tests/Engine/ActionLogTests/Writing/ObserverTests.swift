import ActionLog
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Observers of a log", .timeLimit(.minutes(60)))
struct ObserverTests {
  /// A clock that advances with the calls of a file system: 1 ms for an append, 5 ms for a sync, 20 ms for a lock.
  private let clock = Locked(Duration.zero)

  private func story(
    _ observer: (any LogObserver)?, durability: Durability = .synced, limit: Int = 1 << 20
  ) -> (LogStory, FaultyFileSystem) {
    var story = LogStory(durability: durability, segmentLimitBytes: limit)
    let door = FaultyFileSystem(story.files) { [clock] call in
      let costs: [FileCall.Operation: Duration] = [
        .append: .milliseconds(1), .sync: .milliseconds(5), .lock: .milliseconds(20),
      ]
      clock.withLock { clock in clock += costs[call.operation] ?? .zero }
    }
    story.door = door
    story.configuration.observer = observer
    story.configuration.environment.uptime = { [clock] in clock.withLock { clock in clock } }
    return (story, door)
  }

  @Test func eventsComeInOrderWithTheirDurations() throws {
    let journal = EventJournal()
    let (story, _) = story(journal)
    let writer = try story.open()
    #expect(journal.names == ["opened", "written", "synced"])
    try writer.appendNow([.numbered(1), .numbered(2)])
    try writer.closeNow()
    try writer.closeNow()
    #expect(
      journal.names == ["opened", "written", "synced", "written", "synced", "written", "synced", "closed"])
    #expect(journal.events.allSatisfy { event in event.log == LogStory.path && event.key == nil })
    let kinds = journal.events.map(\.kind)
    guard case .opened(let opening, let opened) = kinds[0], case .written(let actions, _, let written) = kinds[3],
      case .synced(let revision, let synced) = kinds[4], case .closed(let last) = kinds[7]
    else {
      Issue.record("\(kinds)")
      return
    }
    #expect(opening == writer.opening && opened >= .milliseconds(20))
    #expect(actions == 2 && written == .milliseconds(1))
    #expect(revision == 2 && synced == .milliseconds(5))
    #expect(last == 2)
    let sum = kinds.reduce(Duration.zero) { sum, kind in sum + (kind.duration ?? .zero) }
    #expect(sum == clock.withLock { clock in clock }, "the durations include every append and sync")
  }

  @Test(arguments: [Durability.written, .interval(.seconds(3_600)), .synced])
  func bytesAreThoseOfTheSegments(durability: Durability) async throws {
    let journal = EventJournal()
    let (story, _) = story(journal, durability: durability, limit: 600)
    let writer = try story.open()
    for number in 1...10 { _ = try writer.enqueue([.numbered(number)]) }
    for number in 11...20 { try await writer.append([.numbered(number)]) }
    try await writer.close()
    // Another thread may be sending the last ones.
    #expect(try await eventually { journal.names.last == "closed" })
    var (actions, bytes, synced) = (0, 0, 0)
    var sealed: [Int: Int] = [:]
    for event in journal.events {
      switch event.kind {
      case .written(let count, let size, _): (actions, bytes) = (actions + count, bytes + size)
      case .synced(let revision, _):
        #expect(revision >= synced && revision <= actions, "lines are written before they are synced")
        synced = revision
      case .sealed(let first, let last, let size):
        #expect(first <= last && last == actions && last <= synced, "a segment is synced before it is sealed")
        sealed[first] = size
      default: break
      }
    }
    #expect(actions == 20 && synced == 20)
    let sizes = try story.reader().segments.map { segment in (segment.first, try story.bytes(segment.first).count) }
    #expect(sizes.count > 2)
    for (first, size) in sizes.dropLast() { #expect(sealed[first] == size) }
    #expect(sealed.count == sizes.count - 1)
    let firstLine = try story.lines()[0].utf8.count + 1
    #expect(bytes + firstLine == sizes.reduce(0) { sum, segment in sum + segment.1 })
  }

  @Test func endOfAnIntervalIsASync() async throws {
    let journal = EventJournal()
    let calls = Locked<[@Sendable () -> Void]>([])
    var (story, _) = story(journal, durability: .interval(.seconds(1)))
    story.configuration.environment.schedule = { _, body in
      calls.withLock { calls in calls.append(body) }
      return {}
    }
    let writer = try story.open()
    _ = try writer.writeNow([.numbered(1)])
    #expect(journal.names.last == "written")
    for call in calls.withLock({ calls in calls }) { call() }
    #expect(journal.names.last == "synced")
    writer.abandon()
    #expect(journal.names.last == "closed")
  }

  @Test func rejectionsAndFailuresAreEvents() throws {
    let journal = EventJournal()
    let (story, door) = story(journal)
    let writer = try story.open()
    func failures() -> [LogError.Code] {
      journal.events.compactMap { event in if case .writeFailed(let error) = event.kind { error.code } else { nil } }
    }
    door.add(FileFault(.append, code: .noSpace, partialWrite: .half))
    #expect(throws: LogError.self) { try writer.appendNow([.numbered(1)]) }
    #expect(failures() == [.noSpace])
    #expect(journal.names.last == "writeFailed", "nothing was written or synced")
    try writer.appendNow([.numbered(2)])
    #expect(journal.names.suffix(2) == ["written", "synced"])
    door.add(FileFault(.sync))
    #expect(throws: LogError.self) { try writer.appendNow([.numbered(3)]) }
    #expect(failures() == [.noSpace, .failed])
    #expect(throws: LogError.self) { try writer.closeNow() }
    #expect(failures() == [.noSpace, .failed], "a failure is reported once")
    #expect(journal.names.suffix(3) == ["written", "writeFailed", "closed"])
  }

  @Test func openingsAreReported() throws {
    let journal = EventJournal()
    let (base, _) = story(journal)
    var story = base
    story.configuration.key = "alice"
    try story.record(3, close: false)
    // The key is that of the log.
    story.configuration.key = nil
    try story.open().closeNow()
    let openings = journal.events.compactMap { event in
      if case .opened(let opening, _) = event.kind { opening } else { nil }
    }
    #expect(openings.map(\.lastRevision) == [0, 3])
    #expect(openings.map(\.isNew) == [true, false])
    #expect(openings[1].wasClosed == false)
    #expect(journal.events.allSatisfy { event in event.key == "alice" })
  }

  /// Fails if an event is sent while a lock is held: the calls on another thread need each of them.
  @Test func noLockIsHeldDuringACall() async throws {
    let writer = Locked<LogWriter?>(nil)
    let ended = Locked<[String]>([])
    let journal = EventJournal { event in
      guard let writer = writer.withLock({ writer in writer }) else { return }
      let ends = endsOnAnotherThread {
        _ = writer.status
        do {
          _ = try writer.writeNow([])
          try writer.syncNow()
          try writer.confirmNotStale()
        } catch {
          // The log is closed, or has failed.
        }
        if case .closed = event.kind { do { try writer.closeNow() } catch { Issue.record(error) } }
      }
      ended.withLock { ended in ended.append(event.kind.name + (ends ? "" : " under a lock")) }
    }
    let (story, door) = story(journal, limit: 600)
    let opened = try story.open()
    writer.withLock { writer in writer = opened }
    for number in 1...5 { try opened.appendNow([.numbered(number)]) }
    door.add(FileFault(.append, code: .noSpace))
    #expect(throws: LogError.self) { try opened.appendNow([.numbered(6)]) }
    try opened.closeNow()
    // The writer's thread may be sending the last ones.
    #expect(try await eventually { ended.withLock { ended in ended.last?.hasPrefix("closed") == true } })
    #expect(Set(ended.withLock { ended in ended }) == ["written", "synced", "sealed", "writeFailed", "closed"])
    writer.withLock { writer in writer = nil }
  }

  @Test func anObserverMayAppend() throws {
    let writer = Locked<LogWriter?>(nil)
    let journal = EventJournal { event in
      guard case .synced(let revision, _) = event.kind, (1...3).contains(revision) else { return }
      do {
        try writer.withLock { writer in writer }?.appendNow([.numbered(revision + 1)])
      } catch {
        Issue.record(error)
      }
    }
    let (story, _) = story(journal)
    let opened = try story.open()
    writer.withLock { writer in writer = opened }
    try opened.appendNow([.numbered(1)])
    #expect(opened.status.syncedRevision == 4)
    try opened.closeNow()
    #expect(try story.read().actions == [1, 2, 3, 4])
    let synced = journal.events.compactMap { event in
      if case .synced(let revision, _) = event.kind { revision } else { nil }
    }
    #expect(synced == [0, 1, 2, 3, 4, 4])
    writer.withLock { writer in writer = nil }
  }

  @Test func noClockIsReadWithoutAnObserver() throws {
    let readings = Locked(0)
    var (story, _) = story(nil, limit: 600)
    story.configuration.environment.uptime = {
      readings.withLock { readings in readings += 1 }
      return .zero
    }
    try story.record(10)
    #expect(readings.withLock { readings in readings } == 0)
    story.configuration.observer = EventJournal()
    try story.record(1, from: 11)
    #expect(readings.withLock { readings in readings } > 0)
  }
}
