import ActionLog
import ActionLogTesting
import Dispatch
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

/// A program whose main thread waits can use everything that is not isolated to the main actor.
@Suite("A blocked main thread", .timeLimit(.minutes(10)), .serialized) struct BlockedMainThreadTests {
  /// Blocks the main thread until the work has ended.
  ///
  /// - Returns: The error of the work; a timeout if it waits for the main thread.
  @MainActor private static func block(during work: @escaping @Sendable () async throws -> Void) -> (any Error)? {
    let outcome = Locked<Result<Void, any Error>?>(nil)
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
      let result: Result<Void, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      outcome.withLock { outcome in outcome = result }
      ended.signal()
    }
    guard ended.wait(timeout: .now() + .seconds(120)) == .success else { return TimedOut() }
    if case .failure(let error) = outcome.withLock({ outcome in outcome }) { return error }
    return nil
  }

  private struct TimedOut: Error {}

  @Test func aStoreNeedsNoMainThread() async throws {
    let disk = MemoryFileSystem()
    let error = await Self.block {
      let configuration = reproducible(Tally.self, snapshots: .every(2))
      let store = try await LogStore<Tally>.open(at: "log", configuration: configuration, fileSystem: disk)
      let stream = await store.makeStream()
      let projection = try await ProjectionRunner<Tally.Sums>.open(on: store)
      for number in 1...5 { try await store.dispatch(action: .add(number)) }
      try await store.dispatch([.add(6), .name("a")], expecting: 5, command: "a", awaiting: .synced)
      var elements = stream.makeAsyncIterator()
      for _ in 1...7 { #expect(await elements.next() != nil) }
      try await projection.caughtUp(to: 7)
      #expect(await projection.current().state == 21)
      try await store.sync()
      _ = try await store.receipt()
      await store.settleSnapshots()
      await projection.close()
      try await store.close()
      let seen = Locked(0)
      let subscription = try Subscription<Tally>(named: "mailer", at: "log", fileSystem: disk) { _ in
        seen.withLock { seen in seen += 1 }
      }
      try await subscription.catchUp()
      #expect(seen.withLock { seen in seen } == 7)
      let history = try await History<Tally>(at: "log", fileSystem: disk)
      #expect(try await history.reading { history in try history.state() }.sum == 21)
    }
    #expect(error == nil)
  }

  @Test func aRecorderWithoutAStoreNeedsNoMainThread() async throws {
    let disk = MemoryFileSystem()
    let error = await Self.block {
      let configuration = reproducible(Tally.self)
      let recorder = try await Recorder<Tally>.open(at: "log", configuration: configuration, fileSystem: disk)
      try await recorder.recordRefusal(of: .add(1), error: TimedOut())
      _ = try await recorder.receipt()
      try await recorder.close()
    }
    #expect(error == nil)
  }

  @Test func aSetNeedsNoMainThread() async throws {
    let disk = MemoryFileSystem()
    let error = await Self.block {
      let configuration = LogSetConfiguration(recording: reproducible(Tally.self), openLimit: 2)
      let set = try await LogSet<Tally>.open(at: "set", configuration: configuration, fileSystem: disk)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask {
            _ = try await set.withStore(for: "\(number % 5)") { store in
              try await store.dispatch(action: .add(number), awaiting: .synced)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await set.keys().count == 5)
      var count = 0
      for try await summary in set.summaries() { count += summary.lastRevision }
      #expect(count == 20)
      #expect(try await set.history(for: "1").reading { history in try history.state() }.sum == 1 + 6 + 11 + 16)
      try await set.close()
    }
    #expect(error == nil)
  }
}

extension Tally {
  fileprivate enum Sums: Projection {
    typealias Source = Tally
    static let name = "sums"
    static let version = 1
    static let initialState = 0

    static func apply(_ recorded: ProjectedAction<TallyAction>, to state: inout Int) {
      if case .add(let number) = recorded.action { state += number }
    }
  }
}
