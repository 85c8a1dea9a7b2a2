public import Foundation

/// An earthquake: a row that feeds add, correct and withdraw, and that the user can delete.
public struct Quake: Hashable, Codable, Sendable {
  /// The unique id of the quake in all feeds, for instance `nc75105631`.
  public let quakeId: String
  /// The magnitude. It can be negative for weak quakes, and is 0 if the feed has none.
  public let magnitude: Double
  /// The time of the quake.
  public let time: Date
  /// The time of the last update of its data.
  public let updated: Date
  /// A description of its location; empty if the feed has none.
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

extension Date {
  /// The milliseconds from the start of 1970 to the start of 2001, the reference of `Date`.
  private static let millisecondsTo2001: Int64 = 978_307_200_000

  /// Creates the nearest date to a number of milliseconds since the start of 1970.
  ///
  /// `Date(timeIntervalSince1970:)` divides before it changes the reference date, which rounds twice: two thirds of all
  /// dates are slightly off. Here the integer is shifted first and divided last, so the date has the same millisecond.
  ///
  /// - Returns: `nil` if the shift overflows.
  package init?(millisecondsSince1970 milliseconds: Int64) {
    let (moved, overflow) = milliseconds.subtractingReportingOverflow(Self.millisecondsTo2001)
    guard !overflow else { return nil }
    self.init(timeIntervalSinceReferenceDate: Double(moved) / 1_000)
  }
}

// The guide's sample data, smallest first. In the guide, their time is "now"; here it is fixed, so that results are
// reproducible.

extension Quake {
  /// Magnitude 0.5.
  public static let xxsmall = sample("xxsmall", 0.5)
  /// Magnitude 1.5.
  public static let xsmall = sample("xsmall", 1.5)
  /// Magnitude 2.5.
  public static let small = sample("small", 2.5)
  /// Magnitude 3.5.
  public static let medium = sample("medium", 3.5)
  /// Magnitude 4.5.
  public static let large = sample("large", 4.5)
  /// Magnitude 5.5.
  public static let xlarge = sample("xlarge", 5.5)
  /// Magnitude 6.5.
  public static let xxlarge = sample("xxlarge", 6.5)
  /// Magnitude 7.5.
  public static let xxxlarge = sample("xxxlarge", 7.5)

  /// All eight, smallest first, for previews.
  public static let previewQuakes = [xxsmall, xsmall, small, medium, large, xlarge, xxlarge, xxxlarge]

  /// The time of all samples: 2026-11-21 08:30:00 UTC.
  package static let sampleDate = Date(timeIntervalSinceReferenceDate: 816_942_600)

  private static func sample(_ quakeId: String, _ magnitude: Double) -> Quake {
    Quake(
      quakeId: quakeId, magnitude: magnitude, time: sampleDate, updated: sampleDate, name: "West of California",
      longitude: -125, latitude: 35)
  }
}
