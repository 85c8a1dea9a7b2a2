import EventSourcing
import Foundation
import QuakesData
import Testing
import TreeCollections

extension QuakesState {
  /// Returns a state with a list of rows.
  static func with(_ quakes: [Quake] = [], _ status: Status? = nil) -> QuakesState {
    var state = QuakesState()
    state.quakes.status = status
    for quake in quakes { state.quakes.data[quake.id] = quake }
    return state
  }

  /// The eight samples, fetched.
  static let samples = QuakesState.with(Quake.previewQuakes, .success)
}

extension Quake {
  /// Returns the quake with some changed fields.
  func with(magnitude: Double? = nil, name: String? = nil, time: Date? = nil) -> Quake {
    Quake(
      quakeId: quakeId, magnitude: magnitude ?? self.magnitude, time: time ?? self.time, updated: updated,
      name: name ?? self.name, longitude: longitude, latitude: latitude)
  }
}

/// A row of the reducer's table: an action in a state leads to another state, or is refused.
struct Rule: Sendable, CustomTestStringConvertible {
  let name: String
  let before: QuakesState
  let action: QuakesAction
  /// The new state; `nil` if the action is refused.
  let after: QuakesState?

  init(_ name: String, _ before: QuakesState, _ action: QuakesAction, _ after: QuakesState?) {
    self.name = name
    self.before = before
    self.action = action
    self.after = after
  }

  var testDescription: String { name }

  /// Checks the rule with both forms of the reducer.
  func check() throws {
    var inPlace = before
    guard let after else {
      let error = QuakesModel.Error(quakeId: "small")
      #expect(throws: error) { try QuakesModel.reducer(before, action) }
      #expect(throws: error) { try QuakesModel.reduce(into: &inPlace, action: action) }
      #expect(inPlace == before)
      return
    }
    #expect(try QuakesModel.reducer(before, action) == after)
    try QuakesModel.reduce(into: &inPlace, action: action)
    #expect(inPlace == after)
  }
}
