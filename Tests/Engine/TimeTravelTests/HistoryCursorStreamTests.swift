import ActionLog
import EventSourcing
import ImmutableData
import TestSupport
import Testing
import TimeTravel

@MainActor @Suite struct HistoryCursorStreamTests {
  private typealias Crossed = (oldState: Ledger.State, action: Ledger.Action)

  @Test(arguments: [(10, 11), (10, 14), (14, 10), (11, 10), (0, 1_000), (1_000, 0), (1_200, 300), (7, 7)])
  func moveYieldsCrossedActionsInOrder(from start: Int, to target: Int) async throws {
    let log = try LedgerLog(actions: 1_500)
    let cursor = try log.history().cursor(at: .revision(start))
    let stream = cursor.makeStream()
    try cursor.jump(to: target)
    cursor.finish()
    let crossed = await Self.all(stream)
    let revisions = min(start, target)..<max(start, target)
    #expect(crossed.map(\.action) == revisions.map { revision in .enter(revision + 1) })
    #expect(crossed.map(\.oldState) == revisions.map { revision in log.states[revision] })
    #expect(cursor.state == log.states[target])
  }

  @Test(arguments: 0..<6)
  func everyStepYieldsOneAction(seed: UInt64) async throws {
    let log = try LedgerLog(actions: 400)
    var random = SeededGenerator(seed: seed)
    let cursor = try log.history().cursor(at: .revision(200))
    let stream = cursor.makeStream()
    var expected: [Int] = []
    for _ in 0..<150 {
      if Bool.random(using: &random) {
        expected.append(try cursor.stepForward().revision)
      } else {
        expected.append(try cursor.stepBackward().revision)
      }
    }
    cursor.finish()
    let crossed = await Self.all(stream)
    #expect(crossed.map(\.action) == expected.map { revision in .enter(revision) }, "seed \(seed)")
    #expect(crossed.map(\.oldState) == expected.map { revision in log.states[revision - 1] }, "seed \(seed)")
  }

  @Test func longMoveFinishesTheStreams() async throws {
    let log = try LedgerLog(actions: 1_500)
    let cursor = try log.history().cursor(at: .start)
    let stream = cursor.makeStream()
    try cursor.jump(to: 2)
    try cursor.jump(to: 1_003)
    #expect(await Self.all(stream).map(\.action) == [.enter(1), .enter(2)])

    let next = cursor.makeStream()
    try cursor.stepForward()
    cursor.finish()
    #expect(await Self.all(next).map(\.action) == [.enter(1_004)])
  }

  @Test func listenerOfAStoreSeesThePast() async throws {
    let log = try LedgerLog(actions: 40)
    let cursor = try log.history().cursor(at: .revision(20))
    let seen = try await Self.amounts(of: cursor, after: { try cursor.jump(to: 25) }, count: 5)
    #expect(seen == [21, 22, 23, 24, 25])
  }

  /// The actions that a listener to the protocols of a store receives.
  private static func amounts<Source: Selector<Ledger.State> & Streamer<Ledger.State, Ledger.Action>>(
    of source: Source, after move: () throws -> Void, count: Int
  ) async throws -> [Int] {
    let stream = source.makeStream()
    try move()
    var amounts: [Int] = []
    for try await (oldState, action) in stream {
      var state = oldState
      Ledger.reduce(into: &state, action: action)
      amounts.append(state.last)
      if amounts.count == count { break }
    }
    return amounts
  }

  private static func all(_ stream: ActionStream<Crossed>) async -> [Crossed] {
    var elements: [Crossed] = []
    for await element in stream { elements.append(element) }
    return elements
  }
}
