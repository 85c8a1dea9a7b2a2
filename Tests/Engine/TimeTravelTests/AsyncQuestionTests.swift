import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing
import TimeTravel

/// The questions of a history in an async context.
@Suite struct AsyncQuestionTests {
  private struct Answers: Equatable {
    var blamed: Int?
    var first: Int?
    var last: Int?
    var bisected: Int?
    var minimized: [Int]
    var branched: String
    var changed: [Int]
    var matching: [Int]
    var included: [Int]
  }

  /// The answers of the blocking forms, which synchronous code gets.
  private func blockingAnswers(of history: History<Ledger>) throws -> Answers {
    var (changed, matching, included): ([Int], [Int], [Int]) = ([], [], [])
    let pointer = try JSONPointer(parsing: "/last")
    let condition = try Condition(parsing: "/count >= 30")
    try history.changes(of: [pointer], in: 10...12) { change in
      changed.append(change.record.revision)
      return true
    }
    try history.actions(where: condition, in: 20...40) { record in
      matching.append(record.revision)
      return true
    }
    try history.actions(includedBy: { state, _ in state.count == 5 }, in: 1...40) { action in
      included.append(action.revision)
      return true
    }
    return Answers(
      blamed: try history.blame(pointer).change?.record.revision,
      first: try history.firstRevision(where: condition).revision,
      last: try history.lastRevision(where: condition).revision,
      bisected: try history.bisect(condition).revision,
      minimized: try history.minimize(try Condition(parsing: "/count >= 3"), at: 10).actions.map(\.revision),
      branched: try history.whatIf([.skip(3...3)]).difference.description,
      changed: changed, matching: matching, included: included)
  }

  @Test func asyncFormsAnswerLikeTheBlockingOnes() async throws {
    let history = try LedgerLog(actions: 40).history()
    let (changed, matching, included) = (Locked<[Int]>([]), Locked<[Int]>([]), Locked<[Int]>([]))
    let pointer = try JSONPointer(parsing: "/last")
    let condition = try Condition(parsing: "/count >= 30")
    try await history.changes(of: [pointer], in: 10...12) { change in
      changed.withLock { changed in changed.append(change.record.revision) }
      return true
    }
    try await history.actions(where: condition, in: 20...40) { record in
      matching.withLock { matching in matching.append(record.revision) }
      return true
    }
    try await history.actions(includedBy: { state, _ in state.count == 5 }, in: 1...40) { action in
      included.withLock { included in included.append(action.revision) }
      return true
    }
    let answers = Answers(
      blamed: try await history.blame(pointer).change?.record.revision,
      first: try await history.firstRevision(where: condition).revision,
      last: try await history.lastRevision(where: condition).revision,
      bisected: try await history.bisect(condition).revision,
      minimized: try await history.minimize(try Condition(parsing: "/count >= 3"), at: 10).actions.map(\.revision),
      branched: try await history.whatIf([.skip(3...3)]).difference.description,
      changed: changed.withLock(\.self), matching: matching.withLock(\.self), included: included.withLock(\.self))
    #expect(answers == (try blockingAnswers(of: history)))
    #expect(answers.first == 30 && answers.blamed == 40 && answers.changed == [10, 11, 12])
    #expect(try await history.cursor(at: .fromEnd(4)).revision == 36)
  }

  @Test func canceledQuestionThrows() async throws {
    let history = try LedgerLog(actions: 40).history()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await history.bisect(try Condition(parsing: "/count >= 30")).revision
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
