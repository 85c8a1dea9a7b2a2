import AnimalsData
import Foundation
import Testing
import TreeCollections

/// On Apple platforms, Foundation exports a type of this name as well.
typealias Category = AnimalsData.Category

@Suite struct AnimalsSelectorTests {
  private let state = AnimalsState.with(
    categories: Category.samples, .success,
    animals: Animal.samples + [Animal(animalId: "Orphan", name: "Orphan", diet: .omnivorous, categoryId: "Myth")],
    .failure(error: "offline"),
    queue: ["Cat": .waiting, "t1": .success])

  @Test func selectsTablesAndStatuses() {
    #expect(AnimalsState.selectCategories()(state) == state.categories.data)
    #expect(AnimalsState.selectCategoriesStatus()(state) == .success)
    #expect(AnimalsState.selectAnimalsStatus()(state) == .failure(error: "offline"))
    #expect(AnimalsState.selectCategories()(AnimalsState()).isEmpty)
    #expect(AnimalsState.selectCategoriesStatus()(AnimalsState()) == nil)
    #expect(AnimalsState.selectAnimalsStatus()(AnimalsState()) == nil)
  }

  @Test(arguments: [("Bird", Category.bird), ("Myth", nil), (nil, nil)] as [(Category.ID?, Category?)])
  func selectsCategoryByID(id: Category.ID?, expected: Category?) {
    #expect(AnimalsState.selectCategory(categoryId: id)(state) == expected)
  }

  @Test(
    arguments: [("Sparrow", Category.bird), ("Bibbon", .mammal), ("Orphan", nil), ("Gibbon", nil), (nil, nil)]
      as [(Animal.ID?, Category?)])
  func selectsCategoryOfAnimal(id: Animal.ID?, expected: Category?) {
    #expect(AnimalsState.selectCategory(animalId: id)(state) == expected)
  }

  @Test(arguments: [("Bibbon", Animal.gibbon), ("Gibbon", nil), (nil, nil)] as [(Animal.ID?, Animal?)])
  func selectsAnimalByID(id: Animal.ID?, expected: Animal?) {
    #expect(AnimalsState.selectAnimal(animalId: id)(state) == expected)
  }

  @Test(arguments: [("Cat", .waiting), ("t1", .success), ("Dog", nil), (nil, nil)] as [(Animal.ID?, Status?)])
  func rowStatusIsItsQueueEntry(id: Animal.ID?, expected: Status?) {
    #expect(AnimalsState.selectAnimalStatus(animalId: id)(state) == expected)
  }

  @Test(
    arguments: [
      ("Mammal", ["Bibbon", "Cat", "Dog", "Kangaroo"]), ("Bird", ["Sparrow"]), ("Myth", ["Orphan"]), ("Fish", []),
      (nil, []),
    ] as [(Category.ID?, [Animal.ID])])
  func animalsAreSelectedByCategory(id: Category.ID?, expected: [Animal.ID]) {
    let animals = AnimalsState.selectAnimals(categoryId: id)(state)
    #expect(animals.keys.sorted() == expected)
    #expect(animals.allSatisfy { key, animal in key == animal.id })
  }

  @Test(
    arguments: [
      ("Mammal", .forward, ["Cat", "Dog", "Kangaroo", "Bibbon"]),
      ("Mammal", .reverse, ["Bibbon", "Kangaroo", "Dog", "Cat"]), ("Fish", .forward, []), (nil, .forward, []),
    ] as [(Category.ID?, SortOrder, [Animal.ID])])
  func animalsOfACategoryAreSortedByName(id: Category.ID?, order: SortOrder, expected: [Animal.ID]) {
    #expect(AnimalsState.selectAnimalsValues(categoryId: id, sort: \.name, order: order)(state).map(\.id) == expected)
  }

  @Test func categoriesAreSortedByName() {
    let names = ["Amphibian", "Bird", "Fish", "Invertebrate", "Mammal", "Reptile"]
    #expect(AnimalsState.selectCategoriesValues(sort: \.name)(state).map(\.name) == names)
    #expect(
      AnimalsState.selectCategoriesValues(sort: \.name, order: .reverse)(state).map(\.name) == names.reversed())
  }

  /// The order of a dictionary differs between processes; with this many rows, a sort that depended on it would fail.
  @Test(arguments: [SortOrder.forward, .reverse])
  func equalRowsAreSortedByID(order: SortOrder) {
    let ids = (10..<60).map { number in "id\(number)" }
    let state = AnimalsState.with(
      categories: ids.map { id in Category(categoryId: id, name: "Same") },
      animals: ids.map { id in Animal(animalId: id, name: "Same", diet: .omnivorous, categoryId: "Bird") })
    #expect(AnimalsState.selectCategoriesValues(sort: \.name, order: order)(state).map(\.id) == ids)
    #expect(
      AnimalsState.selectAnimalsValues(categoryId: "Bird", sort: \.name, order: order)(state).map(\.id) == ids)
  }
}
