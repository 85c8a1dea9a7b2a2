import Foundation
import QuakesData

/// What part of the world a map shows, and where in a grid of square dots a place lies: an equirectangular projection.
///
/// A place has as many degrees to a dot in both directions, so nothing is squeezed at the equator.
public struct WorldView: Hashable, Sendable {
  /// How many dots there are from west to east.
  public let columns: Int
  /// How many dots there are from north to south.
  public let rows: Int
  /// What lies in the middle.
  public let centre: QuakePlace
  /// How many degrees a dot stands for.
  public let degreesPerDot: Double

  /// The whole world: from the north of Greenland to the south of America, and more where there is room.
  private static let wholeWorld = (longitudes: 360.0, latitudes: 144.0, middle: 12.0)

  /// How far a map can be zoomed in: 2⁵ times. From there on the coasts are too coarse to be recognised.
  public static let zoomLimit = 5

  /// Makes a view that shows the whole world, or a part of it.
  ///
  /// - Parameters:
  ///   - columns: How many dots there are from west to east, at least 1.
  ///   - rows: How many dots there are from north to south, at least 1.
  ///   - zoom: 0 for the whole world; each step doubles the scale, up to ``zoomLimit``.
  ///   - centre: What to look at. It is moved so that nothing beyond the poles shows where it can be avoided; of the
  ///     whole world only its longitude counts.
  public init(columns: Int, rows: Int, zoom: Double = 0, centre: QuakePlace? = nil) {
    let (columns, rows) = (max(1, columns), max(1, rows))
    let zoom = zoom.isFinite ? min(max(zoom, 0), Double(Self.zoomLimit)) : 0
    let scale = max(Self.wholeWorld.longitudes / Double(columns), Self.wholeWorld.latitudes / Double(rows))
    let degreesPerDot = scale / exp2(zoom)
    let half = Double(rows) * degreesPerDot / 2
    let middle = zoom == 0 ? Self.wholeWorld.middle : centre?.finite.latitude ?? Self.wholeWorld.middle
    // A map that is higher than the world shows all of it, and nothing around it.
    let latitude = half >= 90 ? 0 : min(max(middle, half - 90), 90 - half)
    self.columns = columns
    self.rows = rows
    self.degreesPerDot = degreesPerDot
    self.centre = QuakePlace(longitude: Self.wrapped(centre?.finite.longitude ?? 0), latitude: latitude)
  }

  /// The latitude of the middle of a row of dots; 0 is the northernmost.
  func latitude(ofRow row: Int) -> Double {
    centre.latitude + (Double(rows) / 2 - Double(row) - 0.5) * degreesPerDot
  }

  /// The column that a longitude lies in, as a number that can be outside of the grid.
  func column(ofLongitude longitude: Double) -> Double {
    Double(columns) / 2 + Self.wrapped(longitude - centre.longitude) / degreesPerDot
  }

  /// The dot that a place lies in.
  ///
  /// - Returns: `nil` when the view does not show it, or its coordinates are no numbers.
  public func dot(of place: QuakePlace) -> (column: Int, row: Int)? {
    guard place.longitude.isFinite, (-90...90).contains(place.latitude) else { return nil }
    let column = self.column(ofLongitude: place.longitude).rounded(.down)
    let row = (Double(rows) / 2 - (place.latitude - centre.latitude) / degreesPerDot).rounded(.down)
    guard column >= 0, column < Double(columns), row >= 0, row <= Double(rows) else { return nil }
    return (column: Int(column), row: min(Int(row), rows - 1))
  }

  /// The same meridian between −180 and 180 degrees.
  static func wrapped(_ longitude: Double) -> Double {
    let rest = (longitude + 180).truncatingRemainder(dividingBy: 360)
    return (rest < 0 ? rest + 360 : rest) - 180
  }
}

extension QuakePlace {
  /// The place itself, or the middle of the map where a coordinate is no number.
  fileprivate var finite: QuakePlace {
    QuakePlace(longitude: longitude.isFinite ? longitude : 0, latitude: latitude.isFinite ? latitude : 0)
  }
}

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
