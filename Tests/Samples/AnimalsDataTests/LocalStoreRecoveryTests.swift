import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import AnimalsData
import EventSourcing
import Foundation
import TestSupport
import Testing

/// The contents of a store after crashes and faults.
@Suite struct LocalStoreRecoveryTests {
  private typealias LocalStore = AnimalsData.LocalStore<UUID>

  private static let everySecond = RecordingConfiguration<AnimalsStoreModel>(snapshots: .every(2))

  private func fill(_ store: AnimalsData.LocalStore<UUID>) async throws {
    for animal in [Animal.dog, .kangaroo, .gibbon] { _ = try await store.deleteAnimalMutation(animalId: animal.id) }
    _ = try await store.updateAnimalMutation(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish")
  }

  private static let left = [
    Animal(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish"), .newt, .sparrow,
  ]

  @Test func reopeningShowsEarlierChanges() async throws {
    let directory = try TemporaryDirectory()
    let url = URL(filePath: directory.path("default.store"))
    let first = try LocalStore(url: url)
    try await fill(first)
    let second = try LocalStore(url: url)
    let error = await #expect(throws: LogError.self) { try await second.fetchAnimalsQuery() }
    #expect(error?.code == .locked, "one process has the store at a time")
    try await first.close()
    #expect(try await second.fetchAnimalsQuery() == Self.left)
  }

  @Test func abandonedWriterAndDeletedSnapshotsLoseNothing() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("default.store")
    let first = LocalStore(path: path, configuration: Self.everySecond)
    try await fill(first)
    try await first.abandon()
    #expect(try LogVerifier.verify(at: path).problems.isEmpty)
    let second = LocalStore(path: path, configuration: Self.everySecond)
    #expect(try await second.fetchAnimalsQuery() == Self.left)
    try await second.close()
    let snapshots = path + "/snapshots"
    #expect(try FileManager.default.contentsOfDirectory(atPath: snapshots).isEmpty == false)
    try FileManager.default.removeItem(atPath: snapshots)
    #expect(try await LocalStore(path: path).fetchAnimalsQuery() == Self.left)
  }

  /// The disk after a power cut.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func powerCutKeepsAcknowledgedChanges(seed: UInt64) async throws {
    let disk = MemoryFileSystem()
    let first = LocalStore(path: "store", fileSystem: disk)
    try await fill(first)
    let crashed = disk.crash(CrashModel(seed: seed))
    #expect(try await LocalStore(path: "store", fileSystem: crashed).fetchAnimalsQuery() == Self.left)
  }

  @Test func fullDiskRefusesTheChange() async throws {
    let disk = MemoryFileSystem()
    let store = LocalStore(path: "store", fileSystem: disk)
    try await fill(store)
    disk.capacityBytes = disk.usedBytes
    await #expect(throws: (any Error).self) { try await store.deleteAnimalMutation(animalId: "Cat") }
    disk.capacityBytes = nil
    #expect(try await store.fetchAnimalsQuery() == Self.left)
    _ = try await store.deleteAnimalMutation(animalId: "Cat")
    #expect(try await store.fetchAnimalsQuery().count == 2)
  }

  /// Any call to the disk can fail once, also while the sample data is stored: the change is then atomic, and the store
  /// remains usable.
  @Test func everyCallToTheDiskCanFail() async throws {
    var failures = 0
    for number in 1...Self.callLimit {
      let memory = MemoryFileSystem()
      let disk = FaultyFileSystem(memory, faults: [FileFault(number: number)])
      let store = LocalStore(path: "store", fileSystem: disk)
      for (count, animal) in [Animal.dog, .cat, .newt].enumerated() {
        do {
          _ = try await store.deleteAnimalMutation(animalId: animal.id)
        } catch {
          failures += 1
          // The fault does not repeat.
          let found = try await store.fetchAnimalsQuery()
          #expect(found.count == 6 - count || found.count == 5 - count, "call \(number): \(error)")
          if found.contains(animal) { _ = try await store.deleteAnimalMutation(animalId: animal.id) }
        }
      }
      #expect(try await store.fetchCategoriesQuery() == Category.samples, "call \(number)")
      try await store.abandon()
      let again = LocalStore(path: "store", fileSystem: memory)
      #expect(try await again.fetchAnimalsQuery().map(\.id) == ["Bibbon", "Kangaroo", "Sparrow"], "call \(number)")
      if disk.firedCount == 0 { break }
    }
    #expect(failures > 10)
  }

  /// The maximum number of calls, to detect an endless loop.
  private static let callLimit = 1_000
}
