import Foundation
public import QuakesData

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
