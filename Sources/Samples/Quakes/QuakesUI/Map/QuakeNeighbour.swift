public import QuakesData

/// Which quake lies next to another one on the map.
public enum QuakeNeighbour {
  /// A side of the map.
  public enum Direction: Hashable, Sendable, CaseIterable {
    /// Up.
    case north
    /// Right.
    case east
    /// Down.
    case south
    /// Left.
    case west
  }

  /// The nearest quake on one side of another one: within 45 degrees of the direction, the shorter way around the world.
  ///
  /// - Parameters:
  ///   - quake: Where to start.
  ///   - direction: Where to look.
  ///   - quakes: What to look at.
  /// - Returns: `nil` when there is none.
  /// - Complexity: O(number of quakes).
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
