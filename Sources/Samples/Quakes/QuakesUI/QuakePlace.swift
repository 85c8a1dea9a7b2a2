import Foundation
public import QuakesData

/// A place on the earth.
public struct QuakePlace: Hashable, Sendable {
  /// Degrees east of Greenwich.
  public var longitude: Double
  /// Degrees north of the equator.
  public var latitude: Double

  /// Creates a place.
  public init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
  }

  /// Creates the place of a quake.
  public init(_ quake: Quake) {
    self.init(longitude: quake.longitude, latitude: quake.latitude)
  }

  /// The distance to another place along the surface, in meters, on a sphere of the earth's mean radius. The error is at most
  /// half a percent.
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

  /// The mean radius of the earth, in meters.
  private static let earthRadius = 6_371_008.8
}

/// Finds the next quake in a direction on the map.
public enum QuakeNeighbor {
  /// A side of the map.
  public enum Direction: Hashable, Sendable, CaseIterable {
    case north
    case east
    case south
    case west
  }

  /// The nearest quake on one side of another one: within 45 degrees of the direction, the shorter way around the world.
  public static func nearest(to quake: Quake, _ direction: Direction, among quakes: [Quake]) -> Quake? {
    var best: (distance: Double, quake: Quake)?
    for other in quakes where other.id != quake.id {
      let east = WorldView.wrapped(other.longitude - quake.longitude)
      let north = other.latitude - quake.latitude
      let (ahead, aside) =
        switch direction {
        case .north: (north, east)
        case .south: (-north, east)
        case .east: (east, north)
        case .west: (-east, north)
        }
      guard ahead > 0, abs(aside) <= ahead else { continue }
      let distance = ahead * ahead + aside * aside
      if let best, (best.distance, best.quake.id) <= (distance, other.id) { continue }
      best = (distance: distance, quake: other)
    }
    return best?.quake
  }
}
