public import QuakesData

/// A map of the world in characters, with quakes on it.
public struct QuakeMapPicture: Hashable, Sendable {
  /// What stands at one place of the picture.
  public struct Cell: Hashable, Sendable {
    /// What is drawn there.
    public var character: Character
    /// The mark of the quake that is drawn there; `nil` for land and sea.
    public var marker: QuakeMarker?

    /// The color of the mark.
    public var color: QuakeColor? { marker?.color }
    /// Whether the mark is that of the selected quake.
    public var isSelected: Bool { marker?.hasBlackStroke ?? false }
  }

  /// The characters, from north to south and from west to east.
  public let rows: [[Cell]]

  /// Draws a map.
  ///
  /// Where several quakes fall on one place the selected one shows, else the strongest, else the one whose id comes last.
  ///
  /// - Parameters:
  ///   - quakes: The quakes.
  ///   - selection: The quake that is selected on the map.
  ///   - columns: The width in characters, at least 1.
  ///   - rowCount: The height in characters, at least 1.
  ///   - zoom: 0 for the whole world, up to ``WorldView/zoomLimit``; each step doubles the scale.
  ///   - centre: What to look at; `nil` for where Greenwich is in the middle.
  ///   - style: What to draw with.
  /// - Complexity: O(quakes + dots).
  public init(
    _ quakes: [Quake], selection: Quake.ID? = nil, columns: Int, rows rowCount: Int, zoom: Double = 0,
    centre: QuakePlace? = nil, style: MapStyle = .braille
  ) {
    let (columns, rowCount) = (max(1, columns), max(1, rowCount))
    let dots = style.dots
    let view = WorldView(columns: columns * dots.columns, rows: rowCount * dots.rows, zoom: zoom, centre: centre)
    let mask = WorldMask(view)
    var rows = (0..<rowCount).map { row in
      (0..<columns).map { column in
        Cell(
          character: style.character { x, y in
            mask.isLand(column: column * dots.columns + x, row: row * dots.rows + y)
          })
      }
    }
    for (place, quake) in Self.shown(quakes, selection: selection, view, dots) {
      let marker = QuakeMarker(quake, selection: selection)
      rows[place.row][place.column] = Cell(character: style.character(of: marker), marker: marker)
    }
    self.rows = rows
  }

  /// The picture as text, without colours and without spaces at the ends of rows.
  public var text: String {
    rows.map { row in
      let end = row.lastIndex { cell in cell.character != " " }.map { column in column + 1 } ?? 0
      return String(row[..<end].map(\.character))
    }.joined(separator: "\n")
  }
}

extension QuakeMapPicture {
  private struct Place: Hashable {
    var column: Int
    var row: Int
  }

  /// The quake that shows at each place that has one.
  private static func shown(
    _ quakes: [Quake], selection: Quake.ID?, _ view: WorldView, _ dots: (columns: Int, rows: Int)
  ) -> [Place: Quake] {
    var shown: [Place: Quake] = [:]
    for quake in quakes {
      guard let dot = view.dot(of: QuakePlace(quake)) else { continue }
      let place = Place(column: dot.column / dots.columns, row: dot.row / dots.rows)
      guard let other = shown[place] else {
        shown[place] = quake
        continue
      }
      if isAbove(quake, other, selection: selection) { shown[place] = quake }
    }
    return shown
  }

  private static func isAbove(_ quake: Quake, _ other: Quake, selection: Quake.ID?) -> Bool {
    if quake.id == selection || other.id == selection { return quake.id == selection }
    return (quake.magnitude, quake.id) > (other.magnitude, other.id)
  }
}
