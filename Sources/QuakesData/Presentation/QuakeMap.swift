public import Foundation

/// How a quake is marked on the map.
public struct QuakeMarker: Hashable, Sendable {
  /// The quake's id, which is what is selected.
  public let quakeId: Quake.ID
  /// The diameter, in points: `(magnitude + 3) * 6`.
  public let size: Double
  /// The colour of its magnitude.
  public let color: QuakeColor
  /// Whether the line around it is black, and not gray.
  public let hasBlackStroke: Bool
  /// The width of that line, in points.
  public let strokeWidth: Double
  /// How opaque it is, 0 to 1.
  public let fillOpacity: Double

  /// Makes the mark of a quake.
  ///
  /// - Parameters:
  ///   - quake: The quake.
  ///   - selection: The quake that is selected on the map.
  public init(_ quake: Quake, selection: Quake.ID?) {
    let isSelected = quake.id == selection
    quakeId = quake.id
    size = (quake.magnitude + 3) * 6
    color = quake.color
    hasBlackStroke = isSelected
    strokeWidth = isSelected ? 2 : 1
    fillOpacity = isSelected ? 1 : 0.5
  }
}

/// A place on the earth.
public struct QuakePlace: Hashable, Sendable {
  /// Degrees east of Greenwich.
  public var longitude: Double
  /// Degrees north of the equator.
  public var latitude: Double

  /// Makes a place.
  public init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
  }

  /// Where a quake happened.
  public init(_ quake: Quake) {
    self.init(longitude: quake.longitude, latitude: quake.latitude)
  }

  /// The distance to another place along the surface, in metres, on a sphere of the earth's mean radius: at most half a
  /// percent off.
  ///
  /// - SeeAlso: R. W. Sinnott, "Virtues of the Haversine", Sky and Telescope 68 (1984).
  public func distance(to other: QuakePlace) -> Double {
    let radians = Double.pi / 180
    let latitudes = (latitude * radians, other.latitude * radians)
    let north = sin((latitudes.1 - latitudes.0) / 2)
    let east = sin((other.longitude - longitude) * radians / 2)
    let haversine = north * north + cos(latitudes.0) * cos(latitudes.1) * east * east
    return 2 * Self.earthRadius * asin(min(1, haversine.squareRoot()))
  }

  /// The mean radius of the earth, in metres.
  private static let earthRadius = 6_371_008.8
}

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

/// What stands above the list and the map.
public struct QuakeTitle: Hashable, Sendable {
  /// The name of the quake that is selected on the map; `Earthquakes` when none is.
  public let title: String
  /// Its time in full; empty when none is.
  public let subtitle: String

  /// Makes the title.
  ///
  /// - Parameters:
  ///   - quake: The quake that is selected on the map.
  ///   - locale: The language of its time.
  ///   - calendar: The calendar of its time.
  ///   - timeZone: The zone of its time.
  public init(
    _ quake: Quake?, locale: Locale = .autoupdatingCurrent, calendar: Calendar = .autoupdatingCurrent,
    timeZone: TimeZone = .autoupdatingCurrent
  ) {
    title = quake?.name ?? "Earthquakes"
    subtitle = quake?.fullDate(locale: locale, calendar: calendar, timeZone: timeZone) ?? ""
  }
}
