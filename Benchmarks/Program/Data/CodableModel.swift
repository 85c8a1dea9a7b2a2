import AnimalsData
import EventSourcing

/// An action of the Animals sample that has nothing but `Codable`: the tier that any application starts with.
///
/// It codes exactly as the action that it holds; only faster ways that are made for that type do not see it.
struct CodableAction: Codable, Equatable, Sendable {
  var action: AnimalsAction

  init(_ action: AnimalsAction) {
    self.action = action
  }

  init(from decoder: any Decoder) throws {
    action = try AnimalsAction(from: decoder)
  }

  func encode(to encoder: any Encoder) throws {
    try action.encode(to: encoder)
  }
}

/// The Animals sample with actions that are only `Codable`.
enum CodableModel: Model {
  static let name = AnimalsModel.name
  static let schema = AnimalsModel.schema
  static let initialState = AnimalsModel.initialState

  static func reduce(into state: inout AnimalsState, action: CodableAction) throws {
    try AnimalsModel.reduce(into: &state, action: action.action)
  }
}
