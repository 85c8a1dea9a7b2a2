import ActionLog
import ActionLogTesting
import EventSourcing
import Foundation
import ImmutableData
import Platform
import TestSupport
import Testing

@MainActor @Suite("Observers of a recording", .timeLimit(.minutes(60))) struct RecordingObserverTests {
  private let disk = MemoryFileSystem()

  private func configuration(
    _ observer: any LogObserver, snapshots: SnapshotPolicy<TallyState> = .never
  ) -> RecordingConfiguration<Tally> {
    var configuration = reproducible(Tally.self, snapshots: snapshots)
    configuration.log.observer = observer
    return configuration
  }

  @Test func openingsAndSnapshotsAreReported() async throws {
    for session in 0...1 {
      let journal = EventJournal()
      let store = try RecordingStore<Tally>(
        at: "log", configuration: configuration(journal, snapshots: .every(2)), fileSystem: disk)
      for _ in 1...3 { try store.dispatch(action: .add(1)) }
      try await store.close()
      #expect(try await eventually { journal.names.last == "closed" })
      #expect(journal.names.first == "opened")
      let restored = journal.events.compactMap { event -> [Int?]? in
        guard case .restored(let revision, let snapshot, let actions, _) = event.kind else { return nil }
        return [revision, snapshot, actions]
      }
      #expect(restored == (session == 0 ? [[0, nil, 0]] : [[3, 2, 1]]))
      let snapshots = journal.events.compactMap { event -> [Int]? in
        guard case .snapshotWritten(let revision, let bytes, let duration) = event.kind else { return nil }
        #expect(duration >= .zero)
        return [revision, bytes]
      }
      let size = #"{"names":[],"sum":2}"#.utf8.count
      #expect(snapshots == (session == 0 ? [[2, size]] : [[4, size], [6, size]]))
      let actions = journal.events.reduce(0) { sum, event in
        if case .written(let actions, _, _) = event.kind { sum + actions } else { sum }
      }
      #expect(actions == 3)
    }
  }

  @Test func everyFailedSnapshotIsAnEvent() async throws {
    let door = FaultyFileSystem(
      disk, faults: [FileFault(.createDirectory, lasts: true, code: .noSpace, pathSuffix: "/snapshots")])
    let journal = EventJournal()
    let recorder = try await Recorder<Tally>.open(
      at: "log", configuration: configuration(journal, snapshots: .every(2)), fileSystem: door)
    let store = try recorder.makeStore()
    for _ in 1...10 {
      try store.dispatch(action: .add(1))
      try await recorder.sync()
    }
    try await recorder.close()
    #expect(journal.names.count { name in name == "snapshotFailed" } == 5)
    #expect(!journal.names.contains("snapshotWritten"))
  }

  @Test func anObserverMayUseTheRecorder() async throws {
    let recorder = Locked<Recorder<Tally>?>(nil)
    let blocked = Locked<[String]>([])
    let journal = EventJournal { event in
      guard let recorder = recorder.withLock({ recorder in recorder }) else { return }
      let ends = endsOnAnotherThread {
        _ = (recorder.status, recorder.logStatus)
        recorder.resume()
      }
      if !ends { blocked.withLock { blocked in blocked.append(event.kind.name) } }
    }
    let opened = try await Recorder<Tally>.open(
      at: "log", configuration: configuration(journal, snapshots: .every(1)), fileSystem: disk)
    recorder.withLock { recorder in recorder = opened }
    let store = try opened.makeStore()
    for _ in 1...3 { try store.dispatch(action: .add(1)) }
    try await opened.sync()
    await opened.settleSnapshots()
    try await opened.close()
    #expect(try await eventually { journal.names.last == "closed" })
    #expect(blocked.withLock { blocked in blocked } == [])
    #expect(journal.names.contains("snapshotWritten"))
    recorder.withLock { recorder in recorder = nil }
  }

  @Test func eventsOfASetHaveTheKey() async throws {
    let journal = EventJournal()
    let set = try await LogSet<Tally>.open(
      at: "set", configuration: LogSetConfiguration(recording: configuration(journal), openLimit: 1), fileSystem: disk)
    for key in ["a", "b", "a"] {
      try await set.withStore(for: key) { store in _ = try await store.dispatch(action: .add(1), awaiting: .synced) }
    }
    try await set.close()
    #expect(try await eventually { journal.names.count { name in name == "closed" } == 3 })
    // A log is closed before another one is opened in its place.
    let ends = journal.events.compactMap { event in
      switch event.kind {
      case .opened, .evicted, .closed: "\(event.kind.name) \(event.key ?? "-")"
      default: nil
      }
    }
    #expect(ends == ["opened a", "evicted a", "closed a", "opened b", "evicted b", "closed b", "opened a", "closed a"])
    let paths = Set(journal.events.map { event in "\(event.key ?? "-") \(event.log)" })
    #expect(paths.count == 2 && paths.allSatisfy { path in path.contains(" set/") })
  }
}

@Suite("Observers of a subscription")
struct SubscriptionObserverTests {
  /// The deliveries as revision, count of actions and attempt.
  private func deliveries(_ journal: DeliveryJournal) -> [[Int]] {
    journal.events.compactMap { event in
      guard case .didDeliver(let revision, let actions, let attempt, _) = event else { return nil }
      return [revision, actions, attempt]
    }
  }

  @Test func deliveriesAndAttemptsAreReported() async throws {
    let bench = try await SubscriptionBench(count: 3)
    let journal = DeliveryJournal(failing: [2: 2])
    try await bench.subscription(journal).catchUp()
    #expect(deliveries(journal) == [[1, 1, 1], [2, 1, 3], [3, 1, 1]])
    let failures = journal.events.compactMap { event -> [Int]? in
      guard case .didFail(let revision, let attempts, _) = event else { return nil }
      return [revision, attempts]
    }
    #expect(failures == [[2, 1], [2, 2]])
    guard case .didStart(after: 0)? = journal.events.first, case .didCatchUp(revision: 3)? = journal.events.last else {
      Issue.record("\(journal.events)")
      return
    }
  }

  @Test func parkedActionsAreReported() async throws {
    let bench = try await SubscriptionBench(count: 2)
    let journal = DeliveryJournal(failing: [1: 9])
    try await bench.subscription(journal) { configuration in
      configuration.retries = .none
      configuration.onFailure = .skip
    }.catchUp()
    #expect(deliveries(journal) == [[2, 1, 1]])
    #expect(
      journal.events.contains { event in
        if case .didPark(revision: 1, attempts: 1, let error) = event {
          error is DeliveryJournal.Failure
        } else {
          false
        }
      })
  }

  @Test func actionsOfAFailedBatchAreReportedOneByOne() async throws {
    let bench = try await SubscriptionBench(count: 4)
    let journal = DeliveryJournal()
    let hasFailed = Locked(false)
    let subscription = try Subscription<Tally>(
      named: "sub", at: "log", batchesOf: 4, configuration: journal.configuration(), fileSystem: bench.disk
    ) { deliveries in
      let fails = hasFailed.withLock { hasFailed in
        defer { hasFailed = true }
        return !hasFailed
      }
      if fails { throw DeliveryJournal.Failure() }
      for delivery in deliveries { try journal.handle(delivery) }
    }
    try await subscription.catchUp()
    // The batch failed, so each action was delivered alone.
    #expect(deliveries(journal) == [[1, 1, 1], [2, 1, 1], [3, 1, 1], [4, 1, 1]])
    try await bench.append([.add(5), .add(6)])
    try await subscription.catchUp()
    #expect(deliveries(journal).last == [6, 2, 1])
  }

  @Test func durationIsThatOfTheHandler() async throws {
    let bench = try await SubscriptionBench(count: 1)
    let (journal, clock) = (DeliveryJournal(), HandClock())
    let subscription = try Subscription<Tally>(
      named: "sub", at: "log",
      configuration: journal.configuration { configuration in configuration.environment = clock.environment },
      fileSystem: bench.disk
    ) { _ in clock.advance(by: .seconds(3)) }
    try await subscription.catchUp()
    #expect(
      journal.events.contains { event in
        if case .didDeliver(revision: 1, actions: 1, attempt: 1, .seconds(3)) = event { true } else { false }
      })
  }
}

// begin: lines
/// Writes a line of JSON for each write, sync, snapshot and failure.
struct EventLines: LogObserver {
  private struct Line: Encodable {
    var log: String
    var event: String
    var actions: Int?
    var bytes: Int?
    var seconds: Double?
  }

  let write: @Sendable (String) -> Void

  func observe(_ event: LogEvent) {
    var line = Line(log: event.key ?? event.log, event: "")
    switch event.kind {
    case .written(let actions, let bytes, let duration):
      (line.event, line.actions, line.bytes, line.seconds) = ("written", actions, bytes, duration / .seconds(1))
    case .synced(_, let duration):
      (line.event, line.seconds) = ("synced", duration / .seconds(1))
    case .snapshotWritten(_, let bytes, let duration):
      (line.event, line.bytes, line.seconds) = ("snapshot", bytes, duration / .seconds(1))
    case .writeFailed(let error):
      line.event = error.code.rawValue
    default:
      return
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do { write(String(decoding: try encoder.encode(line), as: UTF8.self)) } catch { write("\(error)") }
  }
}
// end: lines

@Suite("The page on observers")
struct ObserverPageTests {
  @Test func lineHasTheNumbersOfAnEvent() {
    let lines = Locked<[String]>([])
    let observer = EventLines { line in lines.withLock { lines in lines.append(line) } }
    let kinds: [LogEvent.Kind] = [
      .written(actions: 2, bytes: 300, duration: .milliseconds(1)), .synced(revision: 2, duration: .milliseconds(250)),
      .snapshotWritten(revision: 2, bytes: 20, duration: .milliseconds(2_500)), .closed(revision: 2),
      .writeFailed(LogError(.noSpace, "no space is left for the batch")),
    ]
    for (index, kind) in kinds.enumerated() {
      observer.observe(LogEvent(log: "log", key: index == 0 ? "a" : nil, kind: kind))
    }
    #expect(
      lines.withLock { lines in lines } == [
        #"{"actions":2,"bytes":300,"event":"written","log":"a","seconds":0.001}"#,
        #"{"event":"synced","log":"log","seconds":0.25}"#,
        #"{"bytes":20,"event":"snapshot","log":"log","seconds":2.5}"#,
        #"{"event":"noSpace","log":"log"}"#,
      ])
  }
}
