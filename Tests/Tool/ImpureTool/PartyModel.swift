import EventSourcing

/// Guests, and how they sit.
struct Party: Codable, Equatable, Sendable {
  var guests: Set<String> = []
  var seats: [String] = []
}

/// What happens at a party.
enum PartyAction: Codable, Equatable, Sendable {
  case didArrive(name: String)
  case didSitDown
}

/// A party whose models differ in how the guests are seated: well, or by something that is none of a reducer's arguments.
protocol PartyModel: Model where State == Party, Action == PartyAction {
  static func seats(for guests: Set<String>) -> [String]
}

extension PartyModel {
  static var schema: Int { 1 }
  static var initialState: Party { Party() }

  static func reduce(into state: inout Party, action: PartyAction) {
    switch action {
    case .didArrive(let name): state.guests.insert(name)
    case .didSitDown: state.seats = seats(for: state.guests)
    }
  }
}
