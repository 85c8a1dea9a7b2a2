import QuakesData
import Testing

/// One line of the reducer's table: in this state, this action leads to that one, or is refused.
struct Rule: Sendable, CustomTestStringConvertible {
  let name: String
  let before: QuakesState
  let action: QuakesAction
  /// The state after it; `nil` when the action is refused.
  let after: QuakesState?

  init(_ name: String, _ before: QuakesState, _ action: QuakesAction, _ after: QuakesState?) {
    self.name = name
    self.before = before
    self.action = action
    self.after = after
  }

  var testDescription: String { name }

  /// Checks the rule in both forms of the reducer.
  func check() throws {
    var inPlace = before
    guard let after else {
      let error = QuakesReducer.Error(code: .quakeNotFound, quakeId: "small")
      #expect(throws: error) { try QuakesReducer.reduce(state: before, action: action) }
      #expect(throws: error) { try QuakesReducer.reduce(into: &inPlace, action: action) }
      #expect(inPlace == before)
      return
    }
    #expect(try QuakesReducer.reduce(state: before, action: action) == after)
    try QuakesReducer.reduce(into: &inPlace, action: action)
    #expect(inPlace == after)
  }
}
