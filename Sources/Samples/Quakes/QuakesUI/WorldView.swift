import Foundation
import QuakesData

/// An equirectangular projection of a part of the world to a grid of square dots.
///
/// Degrees per dot are the same in both directions.
package struct WorldView: Hashable, Sendable {
  /// The number of dots from west to east.
  package let columns: Int
  /// The number of dots from north to south.
  package let rows: Int
  /// The center of the view.
  package let center: QuakePlace
  /// The size of a dot in degrees.
  package let degreesPerDot: Double

  /// The complete world: from the north of Greenland to the south of America, and more if there is room.
  private static let wholeWorld = (longitudes: 360.0, latitudes: 144.0, middle: 12.0)

  /// The highest zoom: 2⁵ times. Beyond that, the coasts are too coarse to be recognized.
  package static let zoomLimit = 5
  /// The zoom that shows the surroundings of a quake.
  static let nearZoom = 4

  /// Creates a view of the complete world, or of a part of it.
  ///
  /// - Parameters:
  ///   - columns: The number of dots from west to east, at least 1.
  ///   - rows: The number of dots from north to south, at least 1.
  ///   - zoom: 0 for the complete world. Each step doubles the scale, up to ``zoomLimit``.
  ///   - center: The center. It is moved so that the view does not extend beyond the poles if possible. For the complete world,
  ///     only its longitude is used.
  package init(columns: Int, rows: Int, zoom: Double = 0, center: QuakePlace? = nil) {
    let (columns, rows) = (max(1, columns), max(1, rows))
    let zoom = zoom.isFinite ? min(max(zoom, 0), Double(Self.zoomLimit)) : 0
    let scale = max(Self.wholeWorld.longitudes / Double(columns), Self.wholeWorld.latitudes / Double(rows))
    let degreesPerDot = scale / exp2(zoom)
    let half = Double(rows) * degreesPerDot / 2
    let middle = zoom == 0 ? Self.wholeWorld.middle : center?.finite.latitude ?? Self.wholeWorld.middle
    // A map that is higher than the world is centered on the equator.
    let latitude = half >= 90 ? 0 : min(max(middle, half - 90), 90 - half)
    self.columns = columns
    self.rows = rows
    self.degreesPerDot = degreesPerDot
    self.center = QuakePlace(longitude: Self.wrapped(center?.finite.longitude ?? 0), latitude: latitude)
  }

  /// The latitude of the middle of a row of dots. Row 0 is the northernmost.
  func latitude(ofRow row: Int) -> Double {
    center.latitude + (Double(rows) / 2 - Double(row) - 0.5) * degreesPerDot
  }

  /// The column of a longitude, which can be outside of the grid.
  func column(ofLongitude longitude: Double) -> Double {
    Double(columns) / 2 + Self.wrapped(longitude - center.longitude) / degreesPerDot
  }

  /// The dot of a place.
  package func dot(of place: QuakePlace) -> (column: Int, row: Int)? {
    guard place.longitude.isFinite, (-90...90).contains(place.latitude) else { return nil }
    let column = self.column(ofLongitude: place.longitude).rounded(.down)
    let row = (Double(rows) / 2 - (place.latitude - center.latitude) / degreesPerDot).rounded(.down)
    guard column >= 0, column < Double(columns), row >= 0, row <= Double(rows) else { return nil }
    return (column: Int(column), row: min(Int(row), rows - 1))
  }

  /// The equivalent longitude between −180 and 180 degrees.
  static func wrapped(_ longitude: Double) -> Double {
    let rest = (longitude + 180).truncatingRemainder(dividingBy: 360)
    return (rest < 0 ? rest + 360 : rest) - 180
  }
}

extension QuakePlace {
  /// The place, with 0 in place of coordinates that are not finite.
  fileprivate var finite: QuakePlace {
    QuakePlace(longitude: longitude.isFinite ? longitude : 0, latitude: latitude.isFinite ? latitude : 0)
  }
}

/// The dots of a view that are land.
///
/// Each row of dots is filled between the points where its latitude crosses a coast, pair by pair.
struct WorldMask: Hashable, Sendable {
  private let columns: Int
  private let rows: Int
  private var dots: [Bool]

  /// Computes the land of a view.
  init(_ view: WorldView) {
    columns = view.columns
    rows = view.rows
    dots = Array(repeating: false, count: view.columns * view.rows)
    for row in 0..<view.rows {
      let latitude = view.latitude(ofRow: row)
      for coast in WorldOutline.coasts where coast.latitudes.contains(latitude) {
        let crossings = Self.crossings(of: coast.points, at: latitude)
        // A latitude crosses a closed line an even number of times.
        for index in stride(from: 0, to: crossings.count - 1, by: 2) {
          fill(from: crossings[index], to: crossings[index + 1], row: row, isLand: !coast.isWater, view)
        }
      }
    }
  }

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

  /// Fills a row between two longitudes, on both sides of the view if its edge divides the land.
  private mutating func fill(from west: Double, to east: Double, row: Int, isLand: Bool, _ view: WorldView) {
    let world = 360 / view.degreesPerDot
    // A map that is wider than the world shows the world once.
    let edges = (west: Double(columns) / 2 - world / 2, east: Double(columns) / 2 + world / 2)
    let start = view.column(ofLongitude: west)
    let end = start + (east - west) / view.degreesPerDot
    for turn in [0, -world] {
      // A dot is land if its middle is.
      let first = max(0, Int((max(start + turn, edges.west) - 0.5).rounded(.up)))
      let last = min(columns - 1, Int((min(end + turn, edges.east) - 0.5).rounded(.down)))
      guard first <= last else { continue }
      for column in first...last { dots[row * columns + column] = isLand }
    }
  }
}
