import EventSourcing
import Foundation

// The models of the party: one for each fault of a reducer, and two versions of a pure one.

/// Iterates a `Set`, whose order differs in every process.
enum WalkingModel: PartyModel {
  static let name = "walking"
  static func seats(for guests: Set<String>) -> [String] { Array(guests) }
}

/// Reads a clock.
enum TimingModel: PartyModel {
  static let name = "timing"
  static func seats(for guests: Set<String>) -> [String] { [String(Date().timeIntervalSince1970)] }
}

/// Draws a random number.
enum DrawingModel: PartyModel {
  static let name = "drawing"
  static func seats(for guests: Set<String>) -> [String] { [String(UInt64.random(in: 0 ... .max))] }
}

/// Sorts, and so depends only on its arguments.
enum SortingModel: PartyModel {
  static let name = "sorting"
  static func seats(for guests: Set<String>) -> [String] { guests.sorted() }
}

/// The same model with a changed reducer under the same schema.
enum ReversedModel: PartyModel {
  static let name = "sorting"
  static func seats(for guests: Set<String>) -> [String] { guests.sorted().reversed() }
}
