public import QuakesData

/// How the map's camera moves when another quake is shown: up, and down again at the quake.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
public struct QuakeCameraMovement: Hashable, Sendable {
  /// From here the map shows what lies around a quake, in metres.
  private static let altitude = 3_000_000.0

  /// How long the whole movement takes, in seconds, 1 to 5: half of it to each altitude.
  public let seconds: Double
  /// The altitude half-way, in metres.
  public let middleAltitude: Double
  /// The altitude at the end, in metres.
  public let finalAltitude: Double

  /// Makes the movement to a quake.
  ///
  /// - Parameters:
  ///   - centre: Where the camera looks.
  ///   - altitude: How high it is, in metres.
  ///   - quake: Where it is to look; `nil` when it stays where it is.
  public init(from centre: QuakePlace, altitude: Double, to quake: Quake?) {
    let distance = centre.distance(to: quake.map { quake in QuakePlace(quake) } ?? centre)
    seconds = max(min(distance / 30, 5), 1)
    finalAltitude = distance > 20 ? Self.altitude : min(altitude, Self.altitude)
    middleAltitude = finalAltitude * max(min(distance / 5, 1.5), 1)
  }
}
