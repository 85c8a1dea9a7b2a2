import ActionLog
import ActionLogTesting
import EventSourcing
import Foundation
import QuakesData
import SampleSupport
import TestSupport
import Testing
import TreeCollections

@Suite struct LocalStoreTests {
  private let store: LocalStore
  private let disk = MemoryFileSystem()

  init() {
    store = LocalStore(path: "store", fileSystem: disk)
  }

  private func stored() async throws -> [Quake.ID] { try await store.fetchLocalQuakesQuery().map(\.id) }

  private func save(_ inserted: [Quake], updated: [Quake] = [], deleted: [Quake] = []) async throws {
    try await store.didFetchRemoteQuakesMutation(inserted: inserted, updated: updated, deleted: deleted)
  }

  /// The types of the records in the log, without control records.
  private func recorded() throws -> [String] {
    var records = try LogReader.open(at: "store", fileSystem: disk).records(from: 1)
    var types: [String] = []
    while let record = try records.next() { if !record.isControl { types.append(record.type) } }
    return types
  }

  @Test func newStoreIsEmpty() async throws {
    #expect(try await stored() == [])
  }

  @Test func quakesComeInOrderOfTheirIds() async throws {
    try await save([.small, .large, .medium])
    #expect(try await store.fetchLocalQuakesQuery() == [.large, .medium, .small])
  }

  @Test func changeIsOneRecord() async throws {
    try await save([.small, .medium, .large])
    try await save([.xlarge], updated: [.small.with(name: "New")], deleted: [.large])
    #expect(try await stored() == ["medium", "small", "xlarge"])
    #expect(try await store.fetchLocalQuakesQuery()[1].name == "New")
    #expect(try recorded() == ["didSaveQuakes", "didSaveQuakes"])
  }

  /// A feed that contains a quake twice must not crash the store; the guide's dictionary would trap.
  @Test func lastDuplicateIsStored() async throws {
    let newer = Quake.small.with(name: "Newer")
    try await save(
      [.small, .medium, newer], updated: [.medium, .medium.with(name: "Newest")], deleted: [.large, .large])
    #expect(try await store.fetchLocalQuakesQuery() == [.medium.with(name: "Newest"), newer])
    try await save([newer], updated: [.small, newer])
    #expect(try await store.fetchLocalQuakesQuery().last == newer)
  }

  @Test func missingQuakeIsNotUpdated() async throws {
    try await save([], updated: [.small])
    #expect(try await stored() == [])
    #expect(try recorded() == [])
  }

  @Test func deletionWinsOverInsertion() async throws {
    try await save([.small])
    try await save([.small.with(name: "New"), .large], deleted: [.small, .large])
    #expect(try await stored() == [])
  }

  @Test func deletions() async throws {
    try await save([.small, .medium, .large])
    try await store.deleteLocalQuakeMutation(quakeId: "small")
    try await store.deleteLocalQuakeMutation(quakeId: "none")
    #expect(try await stored() == ["large", "medium"])
    try await store.deleteLocalQuakesMutation()
    #expect(try await stored() == [])
    #expect(try recorded() == ["didSaveQuakes", "didDeleteQuake", "didDeleteAllQuakes"])
  }

  @Test func unchangedRowsAreNotRecorded() async throws {
    try await store.deleteLocalQuakesMutation()
    try await store.deleteLocalQuakeMutation(quakeId: "small")
    try await save([])
    try await save([.small])
    try await save([.small], updated: [.small], deleted: [.large])
    #expect(try recorded() == ["didSaveQuakes"])
  }

  @Test func concurrentCallsAreSerialized() async throws {
    let store = store
    try await withThrowingTaskGroup { group in
      for number in 0..<40 {
        let quake = Quake.small.with(name: "\(number)")
        group.addTask {
          try await store.didFetchRemoteQuakesMutation(
            inserted: [
              Quake(
                quakeId: "q\(number)", magnitude: 1, time: quake.time, updated: quake.updated, name: quake.name,
                longitude: 0, latitude: 0)
            ], updated: [], deleted: [])
        }
      }
      try await group.waitForAll()
    }
    #expect(try await stored().count == 40)
  }

  @Test func tenThousandQuakesAreOneRecord() async throws {
    let quakes = (0..<10_000).map { number in
      Quake(
        quakeId: "us\(number)", magnitude: 1, time: Quake.sampleDate, updated: Quake.sampleDate,
        name: "\(number) km N of Ōfunato, Japan", longitude: 0, latitude: 0)
    }
    try await save(quakes)
    try await store.close()
    #expect(try await stored().count == 10_000)
    #expect(try recorded() == ["didSaveQuakes"])
  }

  @Test func memoryStoreIsNotPersistent() async throws {
    // On disk, each product has its own subdirectory.
    let places = try ["QuakesData", "AnimalsData"].map { product in
      try StoreLocation(defaultOf: product, isStoredInMemoryOnly: false, orThrow: LocalStoreErrorCode.urlError).path
    }
    #expect(places[0].hasSuffix("/QuakesData/default.store"))
    #expect(places[1].hasSuffix("/AnimalsData/default.store"))
    let first = try LocalStore(isStoredInMemoryOnly: true)
    try await first.didFetchRemoteQuakesMutation(inserted: [.small], updated: [], deleted: [])
    #expect(try await first.fetchLocalQuakesQuery() == [.small])
    #expect(try await LocalStore(isStoredInMemoryOnly: true).fetchLocalQuakesQuery() == [])
  }

  @Test func storeRequiresAFileURL() throws {
    let url = try #require(URL(string: "https://example.org/store"))
    let error = #expect(throws: LocalStoreError.self) { try LocalStore(url: url) }
    #expect(error?.code == .urlError)
    #expect(error?.path == "https://example.org/store")
  }

  /// The golden lines of all actions of the store's log, and its state.
  @Test func storeLogMatchesGoldenLines() throws {
    let quake = ActionCase.smallQuake
    #expect(
      try storedText(QuakesStoreAction.didSaveQuakes(saved: [.small], deleted: ["a"]))
        == #"{"didSaveQuakes":{"saved":[\#(quake)],"deleted":["a"]}}"#)
    #expect(
      try storedText(QuakesStoreAction.didDeleteQuake(quakeId: "a")) == #"{"didDeleteQuake":{"quakeId":"a"}}"#)
    #expect(try storedText(QuakesStoreAction.didDeleteAllQuakes) == #"{"didDeleteAllQuakes":{}}"#)
    var state = QuakesStoreState()
    state.quakes["small"] = .small
    #expect(try storedText(state) == #"{"quakes":{"small":\#(quake)}}"#)
    #expect(QuakesStoreModel.name == "quakes-store" && QuakesStoreModel.schema == 1)
  }
}
