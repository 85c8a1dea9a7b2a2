import Foundation
package import QuakesData

/// A place on the earth.
package struct QuakePlace: Hashable, Sendable {
  /// Degrees east of Greenwich.
  package var longitude: Double
  /// Degrees north of the equator.
  package var latitude: Double

  /// Creates a place.
  package init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
  }

  /// Creates the place of a quake.
  package init(_ quake: Quake) {
    self.init(longitude: quake.longitude, latitude: quake.latitude)
  }
}

/// Finds the next quake in a direction on the map.
package enum QuakeNeighbor {
  /// A side of the map.
  package enum Direction: Hashable, Sendable, CaseIterable {
    case north
    case east
    case south
    case west
  }

  /// The nearest quake on one side of another one: within 45 degrees of the direction, the shorter way around the world.
  package static func nearest(to quake: Quake, _ direction: Direction, among quakes: [Quake]) -> Quake? {
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
