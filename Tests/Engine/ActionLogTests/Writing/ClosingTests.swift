import ActionLog
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Closing a writer", .timeLimit(.minutes(60)))
struct ClosingTests {
  /// Regression: the second close returned before the first one had finished.
  @Test func aSecondCloseWaitsForTheFirst() async throws {
    var story = LogStory()
    let door = GatedFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    door.hold(.sync)
    let first = Task { try await BlockingWork.run { try writer.closeNow() } }
    await BlockingWork.run { door.waitForCall() }
    let (begun, seen, ended) = (Signal(), Locked<Bool?>(nil), Signal())
    #expect(
      SystemThread.start {
        begun.give()
        let isClosed: Bool
        do throws(LogError) {
          try writer.closeNow()
          isClosed = writer.status.isClosed
        } catch {
          isClosed = false
        }
        seen.withLock { seen in seen = isClosed }
        ended.give()
      })
    await expectOffPool { begun.comes() }
    door.letGo()
    try await first.value
    await expectOffPool { ended.comes() }
    #expect(seen.withLock { seen in seen } == true)
  }

  /// Regression: the second close returned without an error.
  @Test func aSecondCloseHasTheSameOutcome() async throws {
    var story = LogStory()
    let faulty = FaultyFileSystem(story.files)
    let door = GatedFileSystem(faulty)
    story.door = door
    let writer = try story.open()
    faulty.add(FileFault(.sync))
    door.hold(.sync)
    let first = Task { await BlockingWork.run { Self.closing(writer) } }
    await BlockingWork.run { door.waitForCall() }
    let second = Task { await BlockingWork.run { Self.closing(writer) } }
    door.letGo()
    let error = try #require(await first.value)
    #expect(error.code == .failed)
    #expect(await second.value?.description == error.description)
    #expect(Self.closing(writer)?.description == error.description)
    await #expect(throws: LogError.self) { try await writer.close() }
  }

  private static func closing(_ writer: LogWriter) -> LogError? {
    do throws(LogError) {
      try writer.closeNow()
      return nil
    } catch {
      return error
    }
  }

  /// Regression: the writer was reopened without its files, and the next call trapped.
  @Test func aWriterAbandonedWhileClosingStaysClosed() throws {
    let held = Locked<LogWriter?>(nil)
    var story = LogStory()
    let now = story.configuration.environment.now
    story.configuration.environment.now = {
      held.withLock { held in held }?.abandon()
      return now()
    }
    let writer = try story.open()
    try writer.appendNow([LogDraft.numbered(1)])
    held.withLock { held in held = writer }
    #expect(#expect(throws: LogError.self) { try writer.closeNow() }?.code == .closed)
    held.withLock { held in held = nil }
    #expect(writer.status.isClosed)
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(2)]) }?.code == .closed)
    try writer.closeNow()
    #expect(try story.read().actions == [1])
  }
}
