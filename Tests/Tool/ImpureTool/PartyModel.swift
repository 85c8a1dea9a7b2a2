import EventSourcing

/// Guests and their seats.
struct Party: Codable, Equatable, Sendable {
  var guests: Set<String> = []
  var seats: [String] = []
}

/// The actions of a party.
enum PartyAction: Codable, Equatable, Sendable {
  case didArrive(name: String)
  case didSitDown
}

/// A party. Its models seat the guests in different ways: purely, or by something other than the reducer's arguments.
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
