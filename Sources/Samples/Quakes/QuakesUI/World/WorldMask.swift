import QuakesData

/// Which dots of a view are land.
///
/// Each row of dots is filled between the points where its latitude crosses a coast, pair by pair.
struct WorldMask: Hashable, Sendable {
  private let columns: Int
  private let rows: Int
  private var dots: [Bool]

  /// Draws a view.
  ///
  /// - Complexity: O(rows × points of the coasts + dots).
  init(_ view: WorldView) {
    columns = view.columns
    rows = view.rows
    dots = Array(repeating: false, count: view.columns * view.rows)
    for row in 0..<view.rows {
      let latitude = view.latitude(ofRow: row)
      for coast in WorldOutline.coasts where coast.latitudes.contains(latitude) {
        let crossings = Self.crossings(of: coast.points, at: latitude)
        // A closed line is crossed an even number of times.
        for index in stride(from: 0, to: crossings.count - 1, by: 2) {
          fill(from: crossings[index], to: crossings[index + 1], row: row, isLand: !coast.isWater, view)
        }
      }
    }
  }

  /// Whether a dot is land; what lies outside is not.
  func isLand(column: Int, row: Int) -> Bool {
    (0..<columns).contains(column) && (0..<rows).contains(row) && dots[row * columns + column]
  }

  /// The longitudes at which a closed line crosses a latitude, from west to east.
  private static func crossings(of points: [QuakePlace], at latitude: Double) -> [Double] {
    var crossings: [Double] = []
    var previous = points[points.count - 1]
    for point in points {
      if (point.latitude > latitude) != (previous.latitude > latitude) {
        let share = (latitude - point.latitude) / (previous.latitude - point.latitude)
        crossings.append(point.longitude + share * (previous.longitude - point.longitude))
      }
      previous = point
    }
    return crossings.sorted()
  }

  /// Fills a row between two longitudes; where the view's edge cuts the land in two, on both sides.
  private mutating func fill(from west: Double, to east: Double, row: Int, isLand: Bool, _ view: WorldView) {
    let world = 360 / view.degreesPerDot
    // A map that is wider than the world shows it once.
    let edges = (west: Double(columns) / 2 - world / 2, east: Double(columns) / 2 + world / 2)
    let start = view.column(ofLongitude: west)
    let end = start + (east - west) / view.degreesPerDot
    for turn in [0, -world] {
      // A dot is land when its middle is.
      let first = max(0, Int((max(start + turn, edges.west) - 0.5).rounded(.up)))
      let last = min(columns - 1, Int((min(end + turn, edges.east) - 0.5).rounded(.down)))
      guard first <= last else { continue }
      for column in first...last { dots[row * columns + column] = isLand }
    }
  }
}
