import EventSourcing
import Foundation

// The models of the party: one for each fault that a reducer can have, and the two versions of one that has none.

/// Walks a `Set`: every process of this program has another order.
enum WalkingModel: PartyModel {
  static let name = "walking"
  static func seats(for guests: Set<String>) -> [String] { Array(guests) }
}

/// Looks at a clock.
enum TimingModel: PartyModel {
  static let name = "timing"
  static func seats(for guests: Set<String>) -> [String] { [String(Date().timeIntervalSince1970)] }
}

/// Draws a random number.
enum DrawingModel: PartyModel {
  static let name = "drawing"
  static func seats(for guests: Set<String>) -> [String] { [String(UInt64.random(in: 0 ... .max))] }
}

/// Sorts, and so depends on its arguments alone.
enum SortingModel: PartyModel {
  static let name = "sorting"
  static func seats(for guests: Set<String>) -> [String] { guests.sorted() }
}

/// The same model after somebody changed the reducer, and told nobody.
enum ReversedModel: PartyModel {
  static let name = "sorting"
  static func seats(for guests: Set<String>) -> [String] { guests.sorted().reversed() }
}
