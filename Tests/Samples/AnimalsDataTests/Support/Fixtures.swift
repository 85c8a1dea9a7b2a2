import AnimalsData
import EventSourcing
import JSONCoding
import Testing
import TreeCollections

extension AnimalsState {
  /// Returns a state with lists of rows.
  static func with(
    categories: [Category] = [],
    _ categoriesStatus: Status? = nil,
    animals: [Animal] = [],
    _ animalsStatus: Status? = nil,
    queue: [Animal.ID: Status] = [:]
  ) -> AnimalsState {
    var state = AnimalsState()
    state.categories.status = categoriesStatus
    state.animals.status = animalsStatus
    for category in categories { state.categories.data[category.id] = category }
    for animal in animals { state.animals.data[animal.id] = animal }
    for (id, status) in queue { state.animals.queue[id] = status }
    return state
  }

  /// The six categories and six animals, both fetched.
  static let samples = AnimalsState.with(
    categories: Category.samples, .success, animals: Animal.samples, .success)
}

extension Animal {
  /// Returns the animal with some changed fields.
  func with(name: String? = nil, categoryId: Category.ID? = nil) -> Animal {
    Animal(animalId: animalId, name: name ?? self.name, diet: diet, categoryId: categoryId ?? self.categoryId)
  }
}

/// A row of the reducer's table: an action in a state leads to another state, or is refused.
struct Rule: Sendable, CustomTestStringConvertible {
  let name: String
  let before: AnimalsState
  let action: AnimalsAction
  /// The new state; `nil` if the action is refused.
  let after: AnimalsState?

  init(_ name: String, _ before: AnimalsState, _ action: AnimalsAction, _ after: AnimalsState?) {
    self.name = name
    self.before = before
    self.action = action
    self.after = after
  }

  init(_ name: String, _ before: AnimalsState, ui action: AnimalsAction.UI, _ after: AnimalsState?) {
    self.init(name, before, .ui(action), after)
  }

  init(
    _ name: String, _ before: AnimalsState, session action: AnimalsAction.Data.PersistentSession, _ after: AnimalsState?
  ) {
    self.init(name, before, .data(.persistentSession(action)), after)
  }

  var testDescription: String { name }

  /// Checks the rule with both forms of the reducer.
  func check(refusedFor animalId: Animal.ID = "Cat") throws {
    var inPlace = before
    guard let after else {
      let error = AnimalsModel.Error(animalId: animalId)
      #expect(throws: error) { try AnimalsModel.reducer(before, action) }
      #expect(throws: error) { try AnimalsModel.reduce(into: &inPlace, action: action) }
      #expect(inPlace == before)
      return
    }
    #expect(try AnimalsModel.reducer(before, action) == after)
    try AnimalsModel.reduce(into: &inPlace, action: action)
    #expect(inPlace == after)
  }
}

/// Returns the stored form of a value.
func storedText(_ value: some Encodable) throws -> String {
  String(decoding: try StrictJSONEncoder().encode(value), as: UTF8.self)
}
