import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import Foundation
import QuakesData
import TestSupport
import Testing

/// The contents of a store after crashes and faults.
@Suite struct LocalStoreRecoveryTests {
  private static let everySecond = RecordingConfiguration<QuakesStoreModel>(snapshots: .every(2))

  private func fill(_ store: LocalStore) async throws {
    try await store.didFetchRemoteQuakesMutation(inserted: Quake.previewQuakes, updated: [], deleted: [])
    try await store.deleteLocalQuakeMutation(quakeId: "small")
    try await store.didFetchRemoteQuakesMutation(
      inserted: [], updated: [.large.with(name: "New")], deleted: [.xxlarge])
    try await store.deleteLocalQuakeMutation(quakeId: "xxsmall")
    try await store.deleteLocalQuakeMutation(quakeId: "xsmall")
  }

  private static let left = [Quake.large.with(name: "New"), .medium, .xlarge, .xxxlarge]

  @Test func reopeningShowsEarlierChanges() async throws {
    let directory = try TemporaryDirectory()
    let url = URL(filePath: directory.path("default.store"))
    let first = try LocalStore(url: url)
    try await fill(first)
    try await first.close()
    #expect(try await LocalStore(url: url).fetchLocalQuakesQuery() == Self.left)
    // The first store opens the log again at its next operation.
    await #expect(throws: Never.self) { try await first.close() }
  }

  @Test func secondStoreIsRefused() async throws {
    let directory = try TemporaryDirectory()
    let url = URL(filePath: directory.path("default.store"))
    let first = try LocalStore(url: url)
    try await fill(first)
    let second = try LocalStore(url: url)
    let error = try #require(await #expect(throws: LogError.self) { try await second.fetchLocalQuakesQuery() })
    #expect(error.code == .locked)
    try await first.close()
    #expect(try await second.fetchLocalQuakesQuery() == Self.left, "a failed opening is tried again")
  }

  @Test func abandonedWriterLosesNothing() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("default.store")
    let first = LocalStore(path: path, configuration: Self.everySecond)
    try await fill(first)
    try await first.abandon()
    let second = LocalStore(path: path, configuration: Self.everySecond)
    #expect(try await second.fetchLocalQuakesQuery() == Self.left)
    #expect(try LogVerifier.verify(at: path).problems.isEmpty)
  }

  /// The process is killed right after the last change was acknowledged.
  @Test func killedProcessLosesNothing() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("default.store")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let store = LocalStore(path: path, configuration: RecordingConfiguration(snapshots: .every(2)))
      try await store.didFetchRemoteQuakesMutation(inserted: Quake.previewQuakes, updated: [], deleted: [])
      try await store.deleteLocalQuakeMutation(quakeId: "small")
      kill(getpid(), SIGKILL)
    }
    let store = LocalStore(path: path)
    #expect(try await store.fetchLocalQuakesQuery().map(\.id).contains("small") == false)
    #expect(try await store.fetchLocalQuakesQuery().count == 7)
    try await store.deleteLocalQuakesMutation()
    #expect(try await store.fetchLocalQuakesQuery() == [])
  }

  @Test func snapshotsCanBeDeleted() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("default.store")
    let first = LocalStore(path: path, configuration: Self.everySecond)
    try await fill(first)
    try await first.close()
    let snapshots = path + "/snapshots"
    #expect(try FileManager.default.contentsOfDirectory(atPath: snapshots).isEmpty == false)
    try FileManager.default.removeItem(atPath: snapshots)
    #expect(try await LocalStore(path: path).fetchLocalQuakesQuery() == Self.left)
  }

  /// The disk after a power cut after each of many calls.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func powerCutKeepsAcknowledgedChanges(seed: UInt64) async throws {
    let disk = MemoryFileSystem()
    let first = LocalStore(path: "store", fileSystem: disk)
    try await fill(first)
    let crashed = disk.crash(CrashModel(seed: seed))
    #expect(try await LocalStore(path: "store", fileSystem: crashed).fetchLocalQuakesQuery() == Self.left)
  }

  /// If the disk is full, the change is refused, earlier changes remain, and the next change succeeds when there is
  /// space.
  @Test func fullDiskRefusesTheChange() async throws {
    let disk = MemoryFileSystem()
    let store = LocalStore(path: "store", fileSystem: disk)
    try await fill(store)
    disk.capacityBytes = disk.usedBytes
    await #expect(throws: (any Error).self) { try await store.deleteLocalQuakesMutation() }
    disk.capacityBytes = nil
    #expect(try await store.fetchLocalQuakesQuery() == Self.left)
    try await store.deleteLocalQuakesMutation()
    #expect(try await store.fetchLocalQuakesQuery() == [])
  }

  /// Any call to the disk can fail once: the change is then atomic, and the store remains usable.
  @Test func everyCallToTheDiskCanFail() async throws {
    let changes: [(change: Change, left: [Quake])] = [
      (
        { store in
          try await store.didFetchRemoteQuakesMutation(inserted: [.small, .medium], updated: [], deleted: [])
        }, [.medium, .small]
      ),
      ({ store in try await store.deleteLocalQuakeMutation(quakeId: "small") }, [.medium]),
      (
        { store in
          try await store.didFetchRemoteQuakesMutation(inserted: [.large], updated: [], deleted: [.medium])
        }, [.large]
      ),
      ({ store in try await store.deleteLocalQuakesMutation() }, []),
    ]
    var failures = 0
    for number in 1...Self.callLimit {
      let memory = MemoryFileSystem()
      let disk = FaultyFileSystem(memory, faults: [FileFault(number: number)])
      let store = LocalStore(path: "store", fileSystem: disk)
      var rows: [Quake] = []
      for (change, left) in changes {
        do {
          try await change(store)
          rows = left
        } catch {
          failures += 1
          // The fault does not repeat.
          let found = try await store.fetchLocalQuakesQuery()
          #expect(found == rows || found == left, "call \(number): \(error)")
          rows = found
          try await change(store)
          rows = left
        }
      }
      try await store.abandon()
      #expect(try await LocalStore(path: "store", fileSystem: memory).fetchLocalQuakesQuery() == rows, "call \(number)")
      if disk.firedCount == 0 { break }
    }
    #expect(failures > 10)
  }

  private typealias Change = @Sendable (LocalStore) async throws -> Void

  /// The maximum number of calls, to detect an endless loop.
  private static let callLimit = 1_000
}
