import ActionLog
import Locking
import TestSupport
import Testing
import Threading

@Suite("Closing a writer", .timeLimit(.minutes(60)))
struct ClosingTests {
  /// Once, the second one returned while what the first one had promised was on its way.
  @Test func whoClosesASecondTimeReturnsWhenTheLogIsClosed() async throws {
    var story = LogStory()
    let door = GatedFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    door.hold(.synchronize)
    let first = Task { try await OffPool.run { try writer.closeNow() } }
    await OffPool.run { door.waitForCall() }
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

  /// Once, the writer was open again after that, without its files: the next call trapped.
  @Test func aWriterThatIsAbandonedWhileItClosesStaysClosed() throws {
    let held = Locked<LogWriter?>(nil)
    var story = LogStory()
    let now = story.configuration.environment.now
    story.configuration.environment.now = {
      held.withLock { held in held }?.abandon()
      return now()
    }
    let writer = try story.open()
    try writer.commit([LogDraft.numbered(1)])
    held.withLock { held in held = writer }
    #expect(#expect(throws: LogError.self) { try writer.closeNow() }?.code == .closed)
    held.withLock { held in held = nil }
    #expect(writer.status.isClosed)
    #expect(#expect(throws: LogError.self) { try writer.write([.numbered(2)]) }?.code == .closed)
    try writer.closeNow()
    #expect(try story.read().actions == [1])
  }
}
