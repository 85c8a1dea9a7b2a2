import ActionLog
import ActionLogTesting
import EventSourcing
import Platform
import TestSupport
import Testing

/// Power cuts and failing calls at every call that a subscription makes to the file system.
@Suite("Crashes of subscriptions")
struct SubscriptionCrashTests {
  private static let count = 6

  /// The actions handled when the power was cut, and the disk as it was left.
  private struct Image {
    var disk: MemoryFileSystem
    var handled: [Int]
  }

  private static func configuration(
    _ journal: DeliveryJournal, _ storing: PositionStoring
  ) -> SubscriptionConfiguration {
    journal.configuration { configuration in
      configuration.storing = storing
      configuration.retries.attempts = 2
      configuration.onFailure = .skip
    }
  }

  /// The form of a subscription.
  enum Form: CaseIterable { case one, keyed, batches }

  /// The key of an action of the form `keyed`.
  private static func key(_ revision: Int) -> Int { revision % 3 }

  private static func subscription(
    _ form: Form, _ journal: DeliveryJournal, _ storing: PositionStoring, on files: any LogFileSystem
  ) throws -> Subscription<Tally> {
    let configuration = configuration(journal, storing)
    switch form {
    case .one:
      return try Subscription(named: "sub", at: "log", configuration: configuration, fileSystem: files) { delivery in
        try journal.handle(delivery)
      }
    case .keyed:
      let order = DeliveryOrder<TallyAction>.ordered(by: { delivery in key(delivery.revision) }, width: 3)
      return try Subscription(
        named: "sub", at: "log", order: order, configuration: configuration, fileSystem: files
      ) { delivery in
        await Task.yield()
        try journal.handle(delivery)
      }
    case .batches:
      return try Subscription(named: "sub", at: "log", batchesOf: 3, configuration: configuration, fileSystem: files) {
        deliveries in
        // Nothing of a batch is handled if one of its actions fails.
        if deliveries.count > 1, deliveries.contains(where: { delivery in delivery.revision == 2 }) {
          throw DeliveryJournal.Failure()
        }
        for delivery in deliveries { try journal.handle(delivery) }
      }
    }
  }

  @Test(arguments: Form.allCases, [1, 2, 4])
  func powerCutAtEveryCall(form: Form, storedEvery: Int) async throws {
    let original = try await SubscriptionBench(count: Self.count).disk
    var number = 1
    while let image = try await cutPower(atCall: number, form, original, .every(storedEvery)) {
      try await check(image, number, form, .every(storedEvery))
      number += 1
    }
    // Opening, six actions, and their positions, of which there are fewer for batches.
    #expect(number > (form == .one ? 30 : 20))
  }

  /// Runs a subscription, and cuts the power before a call.
  ///
  /// - Returns: `nil` if there are fewer calls.
  private func cutPower(
    atCall number: Int, _ form: Form, _ original: MemoryFileSystem, _ storing: PositionStoring
  ) async throws -> Image? {
    let disk = original.copy()
    // Action 2 is parked: one more file to be lost.
    let journal = DeliveryJournal(failing: [2: 100])
    let image = Locked<Image?>(nil)
    let calls = Locked(0)
    let files = FaultyFileSystem(disk) { _ in
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      guard call == number else { return }
      let left = Image(disk: disk.crash(CrashModel(seed: UInt64(number))), handled: journal.revisions)
      image.withLock { image in image = left }
    }
    try await Self.subscription(form, journal, storing, on: files).catchUp()
    return image.withLock { image in image }
  }

  /// The next run delivers everything that was not handled, in order, and repeats only what is past the stored position.
  private func check(_ image: Image, _ number: Int, _ form: Form, _ storing: PositionStoring) async throws {
    let bench = SubscriptionBench(image.disk)
    let stored = try bench.stored() ?? 0
    let parked = try bench.store.parked("sub").parked.map(\.revision)
    #expect(
      Array(1...max(1, stored)).filter { revision in revision <= stored }.allSatisfy { revision in
        image.handled.contains(revision) || parked.contains(revision)
      }, "call \(number): the position \(stored) is ahead of \(image.handled)")
    let journal = DeliveryJournal(failing: [2: 100])
    try await Self.subscription(form, journal, storing, on: image.disk).catchUp()
    let expected = Array(1...Self.count).filter { revision in revision > stored && revision != 2 }
    // Each once, and only those past the stored position.
    #expect(journal.revisions.sorted() == expected, "call \(number)")
    for key in 0..<3 where form == .keyed {
      let revisions = journal.revisions.filter { revision in Self.key(revision) == key }
      #expect(revisions == revisions.sorted(), "call \(number), key \(key)")
    }
    if form != .keyed { #expect(journal.revisions == expected, "call \(number)") }
    #expect(Set(image.handled + journal.revisions) == [1, 3, 4, 5, 6], "call \(number)")
    #expect(try bench.store.parked("sub").parked.map(\.revision) == [2], "call \(number)")
    #expect(try bench.stored() == Self.count, "call \(number)")
  }

  @Test(arguments: [FileFault.PartialWrite.none, .half, .all])
  func failingCallLosesNothing(partialWrite: FileFault.PartialWrite) async throws {
    let original = try await SubscriptionBench(count: Self.count).disk
    var number = 1
    while true {
      let disk = original.copy()
      let bench = SubscriptionBench(disk)
      let files = FaultyFileSystem(disk, faults: [FileFault(number: number, partialWrite: partialWrite)])
      let first = DeliveryJournal(failing: [2: 100])
      let subscription = try Subscription<Tally>(
        named: "sub", at: "log", configuration: Self.configuration(first, .everyAction), fileSystem: files
      ) { delivery in try first.handle(delivery) }
      do { try await subscription.catchUp() } catch {
        #expect(error is LogError || error is EventSourcingError, "call \(number): \(error)")
      }
      if files.firedCount == 0 { break }
      let stored = try bench.stored() ?? 0
      #expect(stored <= (first.revisions.last ?? 0) || stored == 2, "call \(number)")
      let second = DeliveryJournal(failing: [2: 100])
      let next = try Subscription<Tally>(
        named: "sub", at: "log", configuration: Self.configuration(second, .everyAction), fileSystem: disk
      ) { delivery in try second.handle(delivery) }
      try await next.catchUp()
      #expect(Set(first.revisions + second.revisions) == [1, 3, 4, 5, 6], "call \(number)")
      #expect(second.revisions == second.revisions.sorted(), "call \(number)")
      #expect(second.revisions.allSatisfy { revision in revision > stored }, "call \(number)")
      #expect(try bench.store.parked("sub").parked.map(\.revision) == [2], "call \(number)")
      number += 1
    }
    #expect(number > 30)
  }
}

@Suite("Files of subscriptions")
struct SubscriptionStoreTests {
  @Test func positionFileHasThisForm() async throws {
    let bench = try await SubscriptionBench(count: 2)
    try await bench.subscription(DeliveryJournal()).catchUp()
    let text = String(decoding: try bench.disk.contents(of: "log/subscriptions/sub.json"), as: UTF8.self)
    let record = try bench.reader().record(at: 2)
    let crc = String(record.crc, radix: 16)
    let line = String(repeating: "0", count: 8 - crc.count) + crc
    #expect(
      text.hasPrefix(
        #"{"subscription":"sub","log":"3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11","seq":2,"line":"\#(line)","updated":"#
          + #""2026-11-21T09:00:00.000000Z","attempts":0,"crc":""#), "\(text)")
    #expect(text.hasSuffix("\"}\n"))
  }

  @Test func hugeAttemptCountCannotOverflow() async throws {
    let bench = try await SubscriptionBench(count: 1)
    let position = SubscriptionPosition(log: try bench.reader().header.log, revision: 0, crc: 0)
    try bench.disk.createDirectory(bench.store.path)
    try bench.store.write(
      StoredPosition(
        name: "sub", position: position, updated: .earliest, failing: 1, attempts: .max, error: "out of paper"))
    let journal = DeliveryJournal(failing: [1: 1])
    try await bench.subscription(journal).catchUp()
    // One more failure, and then the successful attempt.
    #expect(journal.attempts == [1_000_000_002])
  }

  @Test func directoryWithoutALogStaysAsItIs() async throws {
    let disk = MemoryFileSystem()
    try disk.createDirectory("log")
    let bench = SubscriptionBench(disk)
    let error = try await thrownError(as: LogError.self) { try await bench.subscription(DeliveryJournal()).catchUp() }
    #expect(error.code == .notALog)
    #expect(try disk.names(in: "log").isEmpty)
    // A log can still be created there.
    try await bench.append([.add(1)])
    #expect(try bench.reader().extent().lastRevision == 1)
  }

  @Test func everyFlippedBitOfAPositionIsRefused() async throws {
    let bench = try await SubscriptionBench(count: 2)
    try await bench.subscription(DeliveryJournal()).catchUp()
    let path = "log/subscriptions/sub.json"
    for offset in 0..<(try bench.disk.contents(of: path).count) {
      try bench.disk.flipBit(offset % 8, ofByte: offset, in: path)
      #expect(throws: EventSourcingError.self, "byte \(offset)") { try bench.store.read("sub") }
      try bench.disk.flipBit(offset % 8, ofByte: offset, in: path)
    }
    try bench.disk.setContents([], of: path)
    let subscription = try bench.subscription(DeliveryJournal())
    let error = try await thrownError(as: EventSourcingError.self) { try await subscription.catchUp() }
    #expect(error.code == .invalidPosition)
    try bench.store.reset("sub", to: 1)
    #expect(try bench.stored() == 1)
  }

  @Test func positionOfAnotherNameIsRefused() async throws {
    let bench = try await SubscriptionBench(count: 2)
    try await bench.subscription(DeliveryJournal()).catchUp()
    try bench.disk.setContents(
      try bench.disk.contents(of: "log/subscriptions/sub.json"), of: "log/subscriptions/SUB.json")
    #expect(throws: EventSourcingError.self) { try bench.store.read("SUB") }
  }

  @Test func positionOfAnotherLogIsRefused() async throws {
    let bench = try await SubscriptionBench(count: 3)
    let reader = try bench.reader()
    let crc = try reader.record(at: 2).crc
    for position in [
      SubscriptionPosition(log: "another", revision: 2, crc: crc),
      SubscriptionPosition(log: "another", revision: 0, crc: 0),
      SubscriptionPosition(log: reader.header.log, revision: 2, crc: crc ^ 1),
      SubscriptionPosition(log: reader.header.log, revision: 4, crc: crc),
    ] {
      let journal = DeliveryJournal()
      let subscription = try Subscription<Tally>(
        named: "sub", at: "log", from: .resuming(after: position), configuration: journal.configuration(),
        fileSystem: bench.disk
      ) { delivery in try journal.handle(delivery) }
      let error = try await thrownError(as: EventSourcingError.self) { try await subscription.catchUp() }
      #expect(error.code == .positionMismatch, "\(error)")
      #expect(journal.revisions.isEmpty)
    }
  }

  @Test func changesNeedTheLock() async throws {
    let bench = try await SubscriptionBench(count: 3)
    try await bench.subscription(DeliveryJournal()).catchUp()
    let lock = try bench.store.lock("sub")
    #expect(throws: LogError.self) { try bench.store.reset("sub", to: 1) }
    #expect(throws: LogError.self) { try bench.store.remove("sub") }
    lock.unlock()
    #expect(throws: LogError.self) { try bench.store.reset("sub", to: 4) }
    try bench.store.reset("sub", to: 1)
    let journal = DeliveryJournal()
    try await bench.subscription(journal).catchUp()
    #expect(journal.revisions == [2, 3])
    try bench.store.remove("sub")
    #expect(try bench.store.names().isEmpty)
    #expect(bench.disk.filePaths.allSatisfy { path in !path.contains("subscriptions") })
    let error = #expect(throws: EventSourcingError.self) { try bench.store.remove("sub") }
    #expect(error?.code == .unknownSubscription)
  }

  @Test func truncatedParkedLineIsIgnored() async throws {
    let bench = try await SubscriptionBench(count: 3)
    let journal = DeliveryJournal(failing: [1: 100, 3: 100])
    func run() async throws {
      try await bench.subscription(journal) { configuration in
        configuration.retries = .none
        configuration.onFailure = .skip
      }.catchUp()
    }
    try await run()
    let path = "log/subscriptions/sub.parked.jsonl"
    let bytes = try bench.disk.contents(of: path)
    try bench.disk.setContents(bytes.dropLast(5), of: path)
    #expect(try bench.store.parked("sub").parked.map(\.revision) == [1])
    try bench.store.reset("sub", to: 2)
    try await run()
    #expect(try bench.store.parked("sub").parked.map(\.revision) == [1, 3])
  }

  @Test(arguments: [
    "a/1/0000000", "a/1/0000000G", "a/-1/00000001", "a/01/00000001", "/1/00000001", "1/00000001", "a/0/00000001", "",
  ])
  func otherTextsAreNotPositions(text: String) {
    #expect(SubscriptionPosition(text) == nil)
  }
}
