import ActionLog
import ActionLogTesting
import AnimalsData
import EventSourcing
import Foundation
import Platform
import SampleSupport
import TestSupport
import Testing
import TreeCollections

/// Predictable ids: `new-1`, `new-2` … in each task of a test.
struct CountedUUID: IncrementalStoreUUID {
  @TaskLocal static var count = Locked(0)

  let uuidString: String

  init() {
    uuidString = Self.count.withLock { count in
      count += 1
      return "new-\(count)"
    }
  }
}

@Suite struct LocalStoreTests {
  private let store: LocalStore<CountedUUID>
  private let disk = MemoryFileSystem()

  init() {
    store = LocalStore(path: "store", fileSystem: disk)
  }

  /// The types of the records in the log, without control records.
  private func recorded() throws -> [String] {
    var records = try LogReader.open(at: "store", fileSystem: disk).records(from: 1)
    var types: [String] = []
    while let record = try records.next() { if !record.isControl { types.append(record.type) } }
    return types
  }

  @Test func aNewStoreHasTheSampleData() async throws {
    #expect(try await store.fetchCategoriesQuery() == Category.samples)
    #expect(try await store.fetchAnimalsQuery() == Animal.samples.sorted { lhs, rhs in lhs.id < rhs.id })
    #expect(try recorded() == ["didInsertSampleData"])
  }

  @Test func animalsAreAddedUnderNewIds() async throws {
    try await CountedUUID.$count.withValue(Locked(0)) {
      let owl = try await store.addAnimalMutation(name: "Owl", diet: .carnivorous, categoryId: "Bird")
      let eel = try await store.addAnimalMutation(name: "Eel", diet: .carnivorous, categoryId: "Fish")
      #expect(owl == Animal(animalId: "new-1", name: "Owl", diet: .carnivorous, categoryId: "Bird"))
      #expect(eel.id == "new-2")
      #expect(try await store.fetchAnimalsQuery().suffix(2) == [owl, eel])
    }
  }

  @Test func foundationUUIDsAreStrings() async throws {
    let store = LocalStore<UUID>(path: "other", fileSystem: disk)
    let owl = try await store.addAnimalMutation(name: "Owl", diet: .carnivorous, categoryId: "Bird")
    #expect(UUID(uuidString: owl.id) != nil)
  }

  @Test func animalsAreChanged() async throws {
    let mimi = try await store.updateAnimalMutation(
      animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish")
    #expect(mimi == Animal(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish"))
    #expect(try await store.fetchAnimalsQuery().contains(mimi))
    #expect(try await store.fetchAnimalsQuery().count == 6)
  }

  @Test func animalsAreDeleted() async throws {
    #expect(try await store.deleteAnimalMutation(animalId: "Cat") == .cat)
    #expect(try await store.fetchAnimalsQuery().count == 5)
  }

  @Test func missingAnimalCannotBeChanged() async throws {
    let update = await #expect(throws: LocalStoreError.self) {
      try await store.updateAnimalMutation(animalId: "Owl", name: "Owl", diet: .carnivorous, categoryId: "Bird")
    }
    #expect(update?.code == .animalNotFound)
    #expect(update?.message == "there is no animal with the id 'Owl'")
    let deletion = await #expect(throws: LocalStoreError.self) { try await store.deleteAnimalMutation(animalId: "Owl") }
    #expect(deletion?.code == .animalNotFound)
    #expect(try recorded() == ["didInsertSampleData"])
  }

  @Test func everythingIsReloadedInTheGuidesOrder() async throws {
    _ = try await store.deleteAnimalMutation(animalId: "Cat")
    let (animals, categories) = try await store.reloadSampleDataMutation()
    #expect(animals == Animal.samples)
    #expect(categories == Category.samples)
    #expect(try await store.fetchAnimalsQuery().count == 6)
    #expect(try recorded() == ["didInsertSampleData", "didDeleteAnimal", "didReloadSampleData"])
  }

  @Test func unchangedRowsAreNotRecorded() async throws {
    _ = try await store.reloadSampleDataMutation()
    _ = try await store.updateAnimalMutation(animalId: "Cat", name: "Cat", diet: .carnivorous, categoryId: "Mammal")
    #expect(try recorded() == ["didInsertSampleData"])
  }

  /// After all animals are deleted, the next start does not restore them: the categories still exist.
  @Test func emptyStoreIsNotSeededAgain() async throws {
    for animal in Animal.samples { _ = try await store.deleteAnimalMutation(animalId: animal.id) }
    try await store.close()
    #expect(try await store.fetchAnimalsQuery() == [])
  }

  @Test func concurrentCallsAreSerialized() async throws {
    let store = LocalStore<UUID>(path: "other", fileSystem: disk)
    try await withThrowingTaskGroup { group in
      for number in 0..<40 {
        group.addTask {
          _ = try await store.addAnimalMutation(name: "\(number)", diet: .omnivorous, categoryId: "Fish")
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.fetchAnimalsQuery().count == 46)
  }

  @Test func memoryStoreIsNotPersistent() async throws {
    let first = try LocalStore<UUID>(isStoredInMemoryOnly: true)
    _ = try await first.deleteAnimalMutation(animalId: "Cat")
    #expect(try await first.fetchAnimalsQuery().count == 5)
    #expect(try await LocalStore<UUID>(isStoredInMemoryOnly: true).fetchAnimalsQuery().count == 6)
  }

  @Test func storeRequiresAFileURL() throws {
    let url = try #require(URL(string: "https://example.org/store"))
    let error = #expect(throws: LocalStoreError.self) { try LocalStore<UUID>(url: url) }
    #expect(error?.code == .urlError)
    #expect(error?.path == "https://example.org/store")
  }

  /// The golden lines of all actions of the store's log, and its state.
  @Test func storeLogMatchesGoldenLines() throws {
    let cat = #"{"animalId":"Cat","name":"Cat","diet":"Carnivore","categoryId":"Mammal"}"#
    let bird = #"{"categoryId":"Bird","name":"Bird"}"#
    #expect(
      try storedText(AnimalsStoreAction.didInsertSampleData(animals: [.cat], categories: [.bird]))
        == #"{"didInsertSampleData":{"animals":[\#(cat)],"categories":[\#(bird)]}}"#)
    #expect(
      try storedText(AnimalsStoreAction.didReloadSampleData(animals: [.cat], categories: [.bird]))
        == #"{"didReloadSampleData":{"animals":[\#(cat)],"categories":[\#(bird)]}}"#)
    #expect(try storedText(AnimalsStoreAction.didAddAnimal(animal: .cat)) == #"{"didAddAnimal":{"animal":\#(cat)}}"#)
    #expect(
      try storedText(AnimalsStoreAction.didUpdateAnimal(animal: .cat)) == #"{"didUpdateAnimal":{"animal":\#(cat)}}"#)
    #expect(
      try storedText(AnimalsStoreAction.didDeleteAnimal(animalId: "a")) == #"{"didDeleteAnimal":{"animalId":"a"}}"#)
    var state = AnimalsStoreState()
    AnimalsStoreModel.reduce(into: &state, action: .didReloadSampleData(animals: [.cat], categories: [.bird]))
    #expect(try storedText(state) == #"{"categories":{"Bird":\#(bird)},"animals":{"Cat":\#(cat)}}"#)
    #expect(AnimalsStoreModel.name == "animals-store" && AnimalsStoreModel.schema == 1)
  }
}
