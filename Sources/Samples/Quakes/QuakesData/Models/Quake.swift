public import Foundation

/// An earthquake: a row that feeds bring, correct and withdraw, and that people can delete.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 10.
public struct Quake: Hashable, Codable, Sendable {
  /// What identifies the quake in every feed, for instance `nc75105631`.
  public let quakeId: String
  /// How strong it was. Weak quakes can be below 0; a feed's magnitude that is not known counts as 0.
  public let magnitude: Double
  /// When it happened.
  public let time: Date
  /// When what is known of it changed last.
  public let updated: Date
  /// Where it happened, in words. Empty when the feed does not say.
  public let name: String
  /// Degrees east of Greenwich.
  public let longitude: Double
  /// Degrees north of the equator.
  public let latitude: Double

  package init(
    quakeId: String, magnitude: Double, time: Date, updated: Date, name: String, longitude: Double, latitude: Double
  ) {
    self.quakeId = quakeId
    self.magnitude = magnitude
    self.time = time
    self.updated = updated
    self.name = name
    self.longitude = longitude
    self.latitude = latitude
  }
}

extension Quake: Identifiable {
  /// The same as ``quakeId``.
  public var id: String { quakeId }
}
