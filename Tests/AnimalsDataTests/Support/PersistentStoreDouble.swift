import AnimalsData
import Locking
import TreeCollections

/// What a double was asked for.
enum StoreCall: Hashable, Sendable {
  case fetchCategories
  case fetchAnimals
  case add(name: String, diet: Animal.Diet, categoryId: String)
  case update(animalId: String, name: String, diet: Animal.Diet, categoryId: String)
  case delete(animalId: String)
  case reload
}

/// A failure that a test asked for.
struct Refusal: Error, Equatable, CustomStringConvertible {
  enum Code: String { case locked }
  var code = Code.locked
  var message = "the disk is locked"
  var path = "default.store"
  var description: String { message }

  static let text = "locked: the disk is locked: default.store"
}

/// A store in memory: it keeps what it is asked for and answers as a test says.
final class PersistentStoreDouble: PersistentSessionPersistentStore {
  struct Contents: Sendable {
    var calls: [StoreCall] = []
    var rows: [String: Animal] = [:]
    /// Which calls fail.
    var fails: @Sendable (StoreCall) -> Bool = { _ in false }
    /// Which calls never answer, not even when they are cancelled, until ``release()``.
    var hangs: @Sendable (StoreCall) -> Bool = { _ in false }
    var hanging: [CheckedContinuation<Void, Never>] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  let contents: Locked<Contents>

  init(_ animals: [Animal] = Animal.samples) {
    var contents = Contents()
    for animal in animals { contents.rows[animal.id] = animal }
    self.contents = Locked(contents)
  }

  var calls: [StoreCall] { contents.withLock { contents in contents.calls } }

  func fail(_ fails: @escaping @Sendable (StoreCall) -> Bool) {
    contents.withLock { contents in contents.fails = fails }
  }

  func hang(_ hangs: @escaping @Sendable (StoreCall) -> Bool) {
    contents.withLock { contents in contents.hangs = hangs }
  }

  /// Lets every call that hangs go on.
  func release() {
    let hanging = contents.withLock { contents in
      defer { contents.hanging = [] }
      contents.hangs = { _ in false }
      return contents.hanging
    }
    for continuation in hanging { continuation.resume() }
  }

  /// Returns when so many calls have come.
  func calls(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = contents.withLock { contents in
        if contents.calls.count >= count { return true }
        contents.waiting.append((count: count, continuation: continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private func enter(_ call: StoreCall) async throws {
    let (ready, hangs) = contents.withLock { contents in
      contents.calls.append(call)
      let count = contents.calls.count
      defer { contents.waiting.removeAll { waiter in waiter.count <= count } }
      return (contents.waiting.filter { waiter in waiter.count <= count }, contents.hangs(call))
    }
    for waiter in ready { waiter.continuation.resume() }
    if hangs {
      await withCheckedContinuation { continuation in
        contents.withLock { contents in contents.hanging.append(continuation) }
      }
    }
    if contents.withLock({ contents in contents.fails(call) }) { throw Refusal() }
  }

  func fetchCategoriesQuery() async throws -> [AnimalsData.Category] {
    try await enter(.fetchCategories)
    return Category.samples
  }

  func fetchAnimalsQuery() async throws -> [Animal] {
    try await enter(.fetchAnimals)
    return contents.withLock { contents in contents.rows.values.sorted { lhs, rhs in lhs.id < rhs.id } }
  }

  func addAnimalMutation(name: String, diet: Animal.Diet, categoryId: String) async throws -> Animal {
    try await enter(.add(name: name, diet: diet, categoryId: categoryId))
    let animal = Animal(animalId: "new \(name)", name: name, diet: diet, categoryId: categoryId)
    contents.withLock { contents in contents.rows[animal.id] = animal }
    return animal
  }

  func updateAnimalMutation(
    animalId: String, name: String, diet: Animal.Diet, categoryId: String
  ) async throws -> Animal {
    try await enter(.update(animalId: animalId, name: name, diet: diet, categoryId: categoryId))
    let animal = Animal(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
    return try contents.withLock { contents in
      guard contents.rows[animalId] != nil else { throw Refusal() }
      contents.rows[animalId] = animal
      return animal
    }
  }

  func deleteAnimalMutation(animalId: String) async throws -> Animal {
    try await enter(.delete(animalId: animalId))
    return try contents.withLock { contents in
      guard let animal = contents.rows.removeValue(forKey: animalId) else { throw Refusal() }
      return animal
    }
  }

  func reloadSampleDataMutation() async throws -> (animals: [Animal], categories: [AnimalsData.Category]) {
    try await enter(.reload)
    contents.withLock { contents in
      contents.rows = [:]
      for animal in Animal.samples { contents.rows[animal.id] = animal }
    }
    return (animals: Animal.samples, categories: Category.samples)
  }
}
