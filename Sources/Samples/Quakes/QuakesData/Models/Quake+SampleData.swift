package import Foundation

// The guide's sample data, smallest first. The guide dates the samples "now"; here they have a fixed moment, so that
// what is made of them is the same every time.

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

  /// All eight, smallest first: what previews show.
  public static let previewQuakes = [xxsmall, xsmall, small, medium, large, xlarge, xxlarge, xxxlarge]

  /// The moment of all samples: 2026-11-21 08:30:00 UTC.
  package static let sampleDate = Date(timeIntervalSinceReferenceDate: 816_942_600)

  private static func sample(_ quakeId: String, _ magnitude: Double) -> Quake {
    Quake(
      quakeId: quakeId, magnitude: magnitude, time: sampleDate, updated: sampleDate, name: "West of California",
      longitude: -125, latitude: 35)
  }
}
