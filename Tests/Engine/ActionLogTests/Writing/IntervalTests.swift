import ActionLog
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("The level interval", .timeLimit(.minutes(60)))
struct IntervalTests {
  /// A timer whose calls a test runs manually.
  private final class Agenda: Sendable {
    private let contents = Locked<[(delay: Duration, body: (@Sendable () -> Void)?)]>([])

    var schedule: LogEnvironment.Schedule {
      { [contents] delay, body in
        let index = contents.withLock { contents in
          contents.append((delay, body))
          return contents.count - 1
        }
        return { contents.withLock { contents in contents[index].body = nil } }
      }
    }

    var delays: [Duration] { contents.withLock { contents in contents.map(\.delay) } }
    /// The number of calls that were neither run nor canceled.
    var openCount: Int { contents.withLock { contents in contents.count { entry in entry.body != nil } } }

    /// Removes and returns a call.
    func take(_ index: Int) throws -> @Sendable () -> Void {
      try #require(
        contents.withLock { contents in
          guard index < contents.count else { return nil }
          defer { contents[index].body = nil }
          return contents[index].body
        })
    }

    func call(_ index: Int) throws { (try take(index))() }
  }

  private let agenda = Agenda()
  private let files = MemoryFileSystem()

  private func story(_ door: any LogFileSystem, schedule: LogEnvironment.Schedule? = nil) -> LogStory {
    var story = LogStory(files, durability: .interval(.milliseconds(50)))
    story.door = door
    story.configuration.environment = .test(schedule: schedule ?? agenda.schedule)
    return story
  }

  // MARK: - When there is a sync

  @Test func intervalSyncsInTheBackground() async throws {
    let door = FaultyFileSystem(files)
    let writer = try story(door).open()
    door.forgetCalls()
    for number in 1...3 { try await writer.append([.numbered(number)]) }
    // The worker may not have scheduled the sync yet; this writes nothing more.
    _ = try writer.writeNow([])
    #expect(door.count(of: .sync) == 0)
    #expect(agenda.delays == [.milliseconds(50)])
    try agenda.call(0)
    #expect(door.count(of: .sync) == 1)
    #expect(writer.status.syncedRevision == 3)
    _ = try writer.writeNow([.numbered(4)])
    #expect(agenda.delays == [.milliseconds(50), .milliseconds(50)], "what came later is synced later")
  }

  /// The disk is slower than the interval: lines written during the sync are synced by the same thread immediately
  /// after it.
  @Test func writesDuringASyncHaveTheirOwnInterval() async throws {
    let door = GatedFileSystem(files)
    let writer = try story(door).open()
    let before = writer.status.syncCount
    _ = try writer.writeNow([.numbered(1)])
    let first = try agenda.take(0)
    door.hold(.sync)
    let sync = Task { await BlockingWork.run(first) }
    await BlockingWork.run { door.waitForCall() }
    _ = try writer.writeNow([.numbered(2)])
    #expect(agenda.delays.count == 2, "the one that is under way says nothing of it")
    // It does not wait for the other disk.
    try agenda.call(1)
    #expect(writer.status.syncCount == before)
    door.letGo()
    await sync.value
    #expect(writer.status.syncedRevision == 2)
    #expect(writer.status.syncCount == before + 2)
    #expect(agenda.delays.count == 2)
    _ = try writer.writeNow([.numbered(3)])
    try agenda.call(2)
    #expect(writer.status.syncCount == before + 3)
  }

  /// A timer on a system that provides no threads.
  @Test func withoutATimerTheCallerSyncsEachWrite() throws {
    let taken = Locked(0)
    let story = story(files) { _, body in
      body()
      return { taken.withLock { taken in taken += 1 } }
    }
    let writer = try story.open()
    for number in 1...3 {
      _ = try writer.writeNow([.numbered(number)])
      #expect(writer.status.syncedRevision == number)
    }
    #expect(taken.withLock { taken in taken } == 3, "what has been called is of no more use")
  }

  // MARK: - Ends

  /// The ways in which a writer ends.
  enum End: CaseIterable, Sendable {
    case close, abandonment, oblivion, failure
  }

  @Test(arguments: End.allCases)
  func aClosedWriterLeavesNoPendingCall(end: End) throws {
    let door = FaultyFileSystem(files)
    let timer = TimerThread(clock: HandClock(), patience: .zero)
    let story = story(door) { delay, body in timer.schedule(after: delay, body) }
    weak var forgotten: LogWriter?
    do {
      let writer = try story.open()
      forgotten = writer
      _ = try writer.writeNow([.numbered(1)])
      #expect(timer.count == 1)
      switch end {
      case .close: try writer.closeNow()
      case .abandonment: writer.abandon()
      case .oblivion: break
      case .failure:
        door.add(FileFault(.sync))
        #expect(throws: LogError.self) { try writer.syncNow() }
      }
      if end != .oblivion { #expect(timer.count == 0) }
      withExtendedLifetime(writer) {}
    }
    #expect(forgotten == nil, "nothing keeps it")
    #expect(timer.count == 0)
    #expect(try story.read().actions == [1])
  }

  @Test func closingSchedulesNothing() throws {
    let writer = try story(files).open()
    try writer.closeNow()
    #expect(agenda.delays.isEmpty)
  }

  /// The writer begins to close while the environment schedules the call, which cannot be canceled yet.
  @Test func callsScheduledWhileClosingAreWithdrawn() throws {
    let held = Locked<LogWriter?>(nil)
    let agenda = agenda
    let story = story(files) { delay, body in
      let cancel = agenda.schedule(delay, body)
      held.withLock { held in held }?.abandon()
      return cancel
    }
    let writer = try story.open()
    held.withLock { held in held = writer }
    _ = try writer.writeNow([.numbered(1)])
    held.withLock { held in held = nil }
    #expect(agenda.delays.count == 1)
    #expect(agenda.openCount == 0)
  }

  @Test func aWriterThatFailedToCloseContinues() throws {
    let door = FaultyFileSystem(files)
    let writer = try story(door).open()
    _ = try writer.writeNow([.numbered(1)])
    door.add(FileFault(.append, code: .noSpace))
    let error = #expect(throws: LogError.self) { try writer.closeNow() }
    #expect(error?.code == .noSpace)
    #expect(agenda.openCount == 0, "what was written is synced")
    #expect(writer.status.syncedRevision == 1)
    _ = try writer.writeNow([.numbered(2)])
    #expect(agenda.openCount == 1)
    try agenda.call(1)
    #expect(writer.status.syncedRevision == 2)
  }

  // MARK: - Many writers

  @Test func manyWritersShareOneTimerThread() throws {
    let threads = CountedThreads()
    let timer = TimerThread(clock: HandClock(), patience: .zero, start: threads.start)
    let writers = try (1...200).map { number in
      var story = LogStory(durability: .interval(.seconds(number)))
      story.configuration.environment = .test { delay, body in timer.schedule(after: delay, body) }
      let writer = try story.open()
      _ = try writer.writeNow([.numbered(1)])
      #expect(threads.count == 1)
      return writer
    }
    #expect(timer.count == 200)
    for (index, writer) in writers.enumerated() {
      try writer.closeNow()
      #expect(timer.count == 199 - index)
    }
    #expect(threads.count == 1)
  }
}
