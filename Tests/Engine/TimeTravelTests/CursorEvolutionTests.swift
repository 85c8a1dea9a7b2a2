import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import JSONCoding
import TestSupport
import Testing
import TimeTravel

/// A cursor over records that became no action, or several.
@MainActor struct CursorEvolutionTests {
  private let disk = MemoryFileSystem()

  private func cursor(at point: HistoryPoint = .end) async throws -> HistoryCursor<ShopV3> {
    try await ShopStory.record(in: disk, environment: .live)
    return try await History<ShopV3>(at: "shop", fileSystem: disk).cursor(at: point)
  }

  @Test func cursorRevisionsAreRecords() async throws {
    let cursor = try await cursor(at: .start)
    #expect(await cursor.revisions == 0...11)
    for (revision, items) in ShopStory.states.enumerated().dropFirst() {
      #expect(try await cursor.stepForward().revision == revision)
      #expect(await cursor.state.items == items, "revision \(revision)")
    }
    for revision in (0..<11).reversed() {
      #expect(try await cursor.stepBackward().revision == revision + 1)
      #expect(await cursor.state.items == ShopStory.states[revision], "revision \(revision)")
    }
  }

  @Test func droppedRecordYieldsNothing() async throws {
    let cursor = try await cursor(at: .revision(1))
    let observer = await HistoryObserver(cursor)
    let stream = observer.makeStream()
    let crossed = try await observer.stepForward()
    #expect(crossed.revision == 2 && crossed.actions.isEmpty && crossed.action == nil)
    #expect(try await cursor.lastAction()?.record.type == "didHover")
    observer.finish()
    var yielded = 0
    for await _ in stream { yielded += 1 }
    #expect(yielded == 0 && observer.revision == 2)
  }

  @Test(arguments: [true, false]) func splitRecordYieldsBothActions(isForward: Bool) async throws {
    let cursor = try await cursor(at: .revision(isForward ? 4 : 5))
    let observer = await HistoryObserver(cursor)
    let stream = observer.makeStream()
    try await observer.jump(to: isForward ? 5 : 4)
    observer.finish()
    var yielded: [(oldState: ShopV3.State, action: ShopV3.Action)] = []
    for await element in stream { yielded.append(element) }
    #expect(yielded.map(\.action) == [.didTake(id: 0, name: "jam"), .didPut(id: 0, name: "tea")])
    #expect(yielded.map(\.oldState.items) == [["tea": 4, "jam": 1], ["tea": 4, "jam": 0]])
  }

  @Test func questionsCountRecords() async throws {
    try await ShopStory.record(in: disk, environment: .live)
    let history = try await History<ShopV3>(at: "shop", fileSystem: disk)
    let blame = try history.blame(try JSONPointer(parsing: "/items/jam"))
    #expect(blame.change?.record.revision == 5)
    let minimized = try history.minimize(try Condition(parsing: "/items/tea >= 5"), at: 5)
    #expect(minimized.isMinimal && minimized.originalCount == 5)
    #expect(minimized.actions.map(\.revision) == [1])
  }
}
