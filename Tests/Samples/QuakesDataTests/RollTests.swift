import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import Foundation
import Platform
import QuakesData
import TestSupport
import Testing
import TreeCollections

/// A store whose log is replaced by a new one.
@Suite struct RollTests {
  private let disk = MemoryFileSystem()

  private func store(_ disk: any LogFileSystem) -> LocalStore { LocalStore(path: "store", fileSystem: disk) }

  private func fill(_ store: LocalStore) async throws {
    try await store.didFetchRemoteQuakesMutation(inserted: Quake.previewQuakes, updated: [], deleted: [])
    for quakeId in ["small", "large", "xxsmall"] { try await store.deleteLocalQuakeMutation(quakeId: quakeId) }
  }

  private static let left = [Quake.medium, .xlarge, .xsmall, .xxlarge, .xxxlarge]

  private func actionCount(_ path: String, _ disk: any LogFileSystem) throws -> Int {
    try History<QuakesStoreModel>(at: path, fileSystem: disk).replay().revision
  }

  @Test func rolledStoreKeepsItsContentsAndOldLog() async throws {
    let store = store(disk)
    try await fill(store)
    #expect(try await store.rollLog() == "store.1")
    #expect(try await store.fetchLocalQuakesQuery() == Self.left)
    try await store.deleteLocalQuakeMutation(quakeId: "medium")
    #expect(try actionCount("store", disk) == 1)
    #expect(try actionCount("store.1", disk) == 4)
    let past = try await History<QuakesStoreModel>(at: "store.1", fileSystem: disk).state(at: 1)
    #expect(past.quakes.count == 8, "every revision can still be asked for")
    #expect(try LogVerifier.verify(at: "store.1", fileSystem: disk).verdict == .clean)
    #expect(try LogVerifier.verify(at: "store", fileSystem: disk).problems.isEmpty)
    try await store.close()
    #expect(try await self.store(disk).fetchLocalQuakesQuery() == Array(Self.left.dropFirst()))
  }

  @Test func oldLogsAreOnlyRemovedOnRequest() async throws {
    let store = store(disk)
    for _ in 0..<4 {
      try await fill(store)
      try await store.rollLog()
    }
    let names = { try disk.names(in: ".").filter { name in name.hasPrefix("store") } }
    #expect(try names() == ["store", "store.1", "store.2", "store.3", "store.4"])
    try await store.rollLog(keeping: 2)
    #expect(try names() == ["store", "store.4", "store.5"])
    try await store.rollLog(keeping: 0)
    #expect(try names() == ["store"])
    #expect(try await store.fetchLocalQuakesQuery() == Self.left)
    #expect(try await store.rollLog() == "store.1")
  }

  @Test func emptyStoreCanBeRolled() async throws {
    let store = store(disk)
    try await store.rollLog()
    #expect(try await store.fetchLocalQuakesQuery() == [])
    try await fill(store)
    #expect(try await store.fetchLocalQuakesQuery() == Self.left)
  }

  /// Whichever call to the disk fails, the contents are unchanged and the store remains usable.
  @Test func everyCallToTheDiskCanFail() async throws {
    var failures = 0
    for number in 1...Self.callLimit {
      let memory = MemoryFileSystem()
      let first = store(memory)
      try await fill(first)
      try await first.close()
      let faulty = FaultyFileSystem(memory, faults: [FileFault(number: number)])
      let second = store(faulty)
      do { try await second.rollLog() } catch { failures += 1 }
      let hasFired = faulty.firedCount > 0
      faulty.heal()
      // There is also a log for readers that do not complete an interrupted roll.
      #expect(try memory.status(of: "store")?.kind == .directory, "call \(number)")
      #expect(try await second.fetchLocalQuakesQuery() == Self.left, "call \(number)")
      try await second.deleteLocalQuakeMutation(quakeId: "medium")
      try await second.abandon()
      #expect(try await store(memory).fetchLocalQuakesQuery() == Array(Self.left.dropFirst()), "call \(number)")
      if !hasFired { break }
    }
    #expect(failures > 20 && failures < Self.callLimit - 1)
  }

  /// The power is cut before each call to the disk during a roll.
  @Test func rollIsAtomic() async throws {
    try await fill(store(disk))
    let moments = Locked<[MemoryFileSystem]>([])
    let watched = FaultyFileSystem(
      disk,
      willCall: { [disk] _ in
        moments.withLock { moments in moments.append(disk.crash(CrashModel(seed: UInt64(moments.count)))) }
      })
    let rolled = store(watched)
    try await rolled.rollLog()
    try await rolled.close()
    let crashes = moments.withLock { moments in moments }
    #expect(crashes.count > 40)
    for (number, crashed) in crashes.enumerated() {
      #expect(try await store(crashed).fetchLocalQuakesQuery() == Self.left, "before call \(number)")
    }
  }

  /// The maximum number of calls, to detect an endless loop.
  private static let callLimit = 500
}

@Suite struct TakeOverTests {
  private let store = LocalStore(path: "store", fileSystem: MemoryFileSystem())

  /// If a process was killed between writes to the two logs, the next start synchronizes them.
  @Test func storeTakesOverTheState() async throws {
    try await store.didFetchRemoteQuakesMutation(
      inserted: [.small, .medium.with(name: "Old"), .large], updated: [], deleted: [])
    try await store.takeOver(.with([.medium, .large, .xlarge], .success))
    #expect(try await store.fetchLocalQuakesQuery() == [.large, .medium, .xlarge])
  }

  /// It made no request, or ended before the first answer.
  @Test(arguments: [nil, .waiting, .empty, .failure(error: "interrupted")] as [Status?])
  func unfetchedStateIsIgnored(status: Status?) async throws {
    try await store.didFetchRemoteQuakesMutation(inserted: [.small], updated: [], deleted: [])
    try await store.takeOver(.with([], status))
    #expect(try await store.fetchLocalQuakesQuery() == [.small])
  }

  @Test(arguments: [.waiting, .failure(error: "no feed")] as [Status])
  func waitingStateIsTakenOver(status: Status) async throws {
    try await store.didFetchRemoteQuakesMutation(inserted: [.small, .medium], updated: [], deleted: [])
    try await store.takeOver(.with([.medium], status))
    #expect(try await store.fetchLocalQuakesQuery() == [.medium])
    try await store.takeOver(.with([], .success))
    #expect(try await store.fetchLocalQuakesQuery() == [])
  }
}

@Suite struct SampleFeedTests {
  private let feeds = SampleFeeds { Quake.sampleDate }

  @Test func longerFeedsContainShorterOnes() async throws {
    let hour = try await feeds.fetchRemoteQuakesQuery(range: .allHour)
    let day = try await feeds.fetchRemoteQuakesQuery(range: .allDay)
    let month = try await feeds.fetchRemoteQuakesQuery(range: .allMonth)
    #expect(hour.count == 5 && day.count == 120 && month.count == 3_600)
    #expect(Array(day.prefix(5)) == hour && Array(month.prefix(120)) == day)
    #expect(Set(month.map(\.id)).count == 3_600)
    #expect(month.allSatisfy { quake in quake.magnitude > 0 && quake.time <= Quake.sampleDate })
    #expect(month.allSatisfy { quake in abs(quake.latitude) <= 90 && abs(quake.longitude) <= 180 })
    let never = SampleFeeds { Date(timeIntervalSince1970: 1e300) }
    #expect(try await never.fetchRemoteQuakesQuery(range: .allDay).isEmpty)
  }

  @Test func feedIsMergedIntoStoredQuakes() throws {
    let changes = try QuakeChanges(
      of: [.small, .medium.with(name: "New"), .large, .xlarge.with(magnitude: 0), .xxlarge.with(magnitude: 0)],
      mergedInto: [.medium, .large, .xlarge])
    #expect(changes.inserted == [.small])
    #expect(changes.updated == [.medium.with(name: "New")])
    #expect(changes.deleted.map(\.id) == ["xlarge"])
  }
}
