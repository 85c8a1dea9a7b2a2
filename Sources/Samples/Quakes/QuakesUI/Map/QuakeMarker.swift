public import QuakesData

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
