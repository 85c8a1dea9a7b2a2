import ActionLog
import ActionLogTesting
import TestSupport
import Testing

/// Tickets of rejected units, queried much later.
@Suite("Rejected units", .timeLimit(.minutes(60)))
struct RejectionTests {
  /// A log whose appends fail on request.
  private func story() -> (LogStory, FaultyFileSystem) {
    var story = LogStory()
    let door = FaultyFileSystem(story.files)
    story.door = door
    return (story, door)
  }

  /// Fails the next append and returns the ticket of the unit.
  private func reject(_ writer: LogWriter, _ door: FaultyFileSystem) throws -> LogTicket {
    door.add(FileFault(.append, code: .noSpace))
    let ticket = try writer.enqueue([.numbered(writer.status.lastRevision + 1)])
    // The worker may have written it already; then there is nothing to sync.
    do throws(LogError) { try writer.syncNow() } catch { #expect(error.code == .noSpace) }
    return ticket
  }

  @Test func exactlyTheRejectedUnitsAreReported() async throws {
    let (story, door) = story()
    let writer = try story.open()
    var tickets: [(ticket: LogTicket, isRejected: Bool)] = []
    for isRejected in [true, true, false, true, false, false, true, true, true] {
      if isRejected {
        tickets.append((try reject(writer, door), true))
      } else {
        tickets.append((try writer.writeNow([.numbered(writer.status.lastRevision + 1)]), false))
        try writer.syncNow()
      }
    }
    for (ticket, isRejected) in tickets {
      do throws(LogError) {
        try await writer.receipt(for: ticket)
        #expect(!isRejected)
      } catch {
        #expect(isRejected)
        #expect(error.code == .noSpace)
      }
    }
    #expect(try story.read().actions == [1, 2, 3])
  }

  @Test func aTicketOfAForgottenRejectionIsRefused() async throws {
    let (story, door) = story()
    let writer = try story.open()
    let first = try reject(writer, door)
    for _ in 0..<1_000 {
      try writer.appendNow([.numbered(writer.status.lastRevision + 1)])
      _ = try reject(writer, door)
    }
    let error = await #expect(throws: LogError.self) { try await writer.receipt(for: first) }
    #expect(error?.code == .invalidArgument)
  }
}
