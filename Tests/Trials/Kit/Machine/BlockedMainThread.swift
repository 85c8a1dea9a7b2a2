import ActionLog
import EventSourcing
import Foundation
import ImmutableData
import Platform

/// A program whose main thread never gets on: it can use everything of the library that is not isolated to the main actor.
enum BlockedMainThread {
  /// Uses the library in a detached task, prints `done`, and ends the process. The calling thread waits.
  static func run(_ path: String, say: @escaping @Sendable (String) -> Void) -> Never {
    Task.detached {
      do {
        try await useStore("\(path)/log")
        try await useRecorder("\(path)/recorder")
        try await useSet("\(path)/set")
        say("done")
        exit(0)
      } catch {
        say("error: \(error)")
        exit(1)
      }
    }
    while true { Thread.sleep(forTimeInterval: 1_000) }
  }

  private struct Wrong: Error { var what: String }

  private static func check(_ condition: Bool, _ what: String) throws {
    guard condition else { throw Wrong(what: what) }
  }

  private static func actions(_ numbers: ClosedRange<Int>) -> [RecordedModel.Action] {
    numbers.map { number in .offered(number, by: number) }
  }

  private static func useStore(_ path: String) async throws {
    let configuration = RecordingConfiguration<RecordedModel>(snapshots: .every(2))
    let store = try await LogStore<RecordedModel>.open(at: path, configuration: configuration)
    let stream = await store.makeStream()
    let projection = try await ProjectionGroup.open(on: store).run(Numbers.self)
    for action in actions(1...5) { try await store.dispatch(action: action) }
    try await store.dispatch(actions(6...7), expecting: 5, command: "a", awaiting: .synced)
    var elements = stream.makeAsyncIterator()
    for _ in 1...7 { try check(await elements.next() != nil, "the stream") }
    try await projection.caughtUp(to: 7)
    try check(await projection.current().state == 28, "the projection")
    try await store.sync()
    _ = try await store.receipt()
    await projection.close()
    try await store.close()
    let seen = Locked(0)
    let subscription = try Subscription<RecordedModel>(named: "counter", at: path) { _ in
      seen.withLock { seen in seen += 1 }
    }
    try await subscription.catchUp()
    try check(seen.withLock { seen in seen } == 7, "the subscription")
    let history = try await History<RecordedModel>(at: path)
    try check(try await history.reading { history in try history.state() }.attempts.count == 7, "the history")
  }

  private static func useRecorder(_ path: String) async throws {
    let recorder = try await Recorder<RecordedModel>.open(at: path)
    try await recorder.recordRefusal(of: .offered(3, by: 1), error: Wrong(what: "a refusal"))
    _ = try await recorder.receipt()
    try await recorder.close()
  }

  private static func useSet(_ path: String) async throws {
    let set = try await LogSet<RecordedModel>.open(at: path, configuration: LogSetConfiguration(openLimit: 2))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          _ = try await set.withStore(for: "\(number % 5)") { store in
            try await store.dispatch(actions(store.revision + 1...store.revision + 2), awaiting: .synced)
          }
        }
      }
      try await group.waitForAll()
    }
    let seen = Locked(0)
    let subscription = try LogSetSubscription(named: "counter", of: set) { _, _ in seen.withLock { seen in seen += 1 } }
    try await subscription.catchUp()
    try check(seen.withLock { seen in seen } == 40, "the subscription to a set")
    try check(try await set.keys().count == 5, "the keys")
    var count = 0
    for summary in try await set.summaries() { count += summary.lastRevision }
    try check(count == 40, "the summaries")
    let history = try await set.history(for: "1")
    try check(try await history.reading { history in try history.state() }.attempts.count == 8, "the history of a set")
    try check(try await set.withClosedLog(for: "1") { path in path } == (try set.path(for: "1")), "a closed log")
    try await set.close("2")
    try await set.remove("1")
    try check(try await set.keys().count == 4, "the keys after a removal")
    try await set.close()
  }

  private enum Numbers: Projection {
    typealias Source = RecordedModel
    static let name = "numbers"
    static let version = 1
    static let initialState = 0

    static func apply(_ recorded: ProjectedAction<RecordedModel.Action>, to state: inout Int) {
      if case .add(let number, _, _) = recorded.action { state += number }
    }
  }
}
