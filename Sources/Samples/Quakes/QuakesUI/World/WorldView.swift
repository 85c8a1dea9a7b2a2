import Foundation

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
