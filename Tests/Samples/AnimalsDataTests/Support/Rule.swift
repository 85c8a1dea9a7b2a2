import AnimalsData
import Testing

/// One line of the reducer's table: in this state, this action leads to that one, or is refused.
struct Rule: Sendable, CustomTestStringConvertible {
  let name: String
  let before: AnimalsState
  let action: AnimalsAction
  /// The state after it; `nil` when the action is refused.
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

  /// Checks the rule in both forms of the reducer.
  func check(refusedFor animalId: Animal.ID = "Cat") throws {
    var inPlace = before
    guard let after else {
      let error = AnimalsReducer.Error(code: .animalNotFound, animalId: animalId)
      #expect(throws: error) { try AnimalsReducer.reduce(state: before, action: action) }
      #expect(throws: error) { try AnimalsReducer.reduce(into: &inPlace, action: action) }
      #expect(inPlace == before)
      return
    }
    #expect(try AnimalsReducer.reduce(state: before, action: action) == after)
    try AnimalsReducer.reduce(into: &inPlace, action: action)
    #expect(inPlace == after)
  }
}
