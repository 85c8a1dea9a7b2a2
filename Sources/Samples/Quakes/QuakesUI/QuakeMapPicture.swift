package import QuakesData

/// A map of the world made of characters, with quakes on it.
package struct QuakeMapPicture: Hashable, Sendable {
  /// A cell of the picture.
  package struct Cell: Hashable, Sendable {
    /// The character.
    package var character: Character
    /// The marker of the quake in the cell; `nil` for land and sea.
    package var marker: QuakeMarker?

    /// The color of the marker.
    package var color: QuakeColor? { marker?.color }
    /// Whether the marker is that of the selected quake.
    package var isSelected: Bool { marker?.hasBlackStroke ?? false }
  }

  /// The characters, from north to south and from west to east.
  package let rows: [[Cell]]

  /// Draws a map.
  ///
  /// If several quakes are in one cell, the selected one is shown, or else the strongest, or else the one with the last id.
  package init(
    _ quakes: [Quake], selection: Quake.ID? = nil, columns: Int, rows rowCount: Int, zoom: Double = 0,
    center: QuakePlace? = nil, style: MapStyle = .braille
  ) {
    let (columns, rowCount) = (max(1, columns), max(1, rowCount))
    let dots = style.dots
    let view = WorldView(columns: columns * dots.columns, rows: rowCount * dots.rows, zoom: zoom, center: center)
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

  /// The picture as text, without colors and trailing spaces.
  package var text: String {
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

  /// The visible quake of each cell that has one.
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

/// The characters of a map.
package enum MapStyle: String, Hashable, Sendable, CaseIterable {
  /// Braille patterns with eight dots per character, and round markers.
  case braille
  /// Half blocks with two dots per character, and round markers, for fonts without braille patterns.
  case blocks
  /// ASCII only: land is dotted, and a marker is the integer part of a magnitude.
  case ascii

  /// The number of dots of a character in each direction.
  var dots: (columns: Int, rows: Int) {
    switch self {
    case .braille: (2, 4)
    // A character is twice as high as wide, as are two dots above each other.
    case .blocks: (1, 2)
    case .ascii: (2, 4)
    }
  }

  /// The character of a cell.
  func character(_ isLand: (_ column: Int, _ row: Int) -> Bool) -> Character {
    switch self {
    case .braille: Self.braille(isLand)
    case .blocks: [" ", "▀", "▄", "█"][(isLand(0, 0) ? 1 : 0) + (isLand(0, 1) ? 2 : 0)]
    case .ascii:
      switch (0..<8).count(where: { dot in isLand(dot % 2, dot / 2) }) {
      case 0...2: " "
      case 3...5: "."
      default: ":"
      }
    }
  }

  /// The character of a marker. Its shape shows the size of the marker.
  func character(of marker: QuakeMarker) -> Character {
    switch self {
    case .braille, .blocks:
      switch marker.size {
      case 60...: "◉"
      case 48..<60: "◍"
      case 36..<48: "●"
      case 24..<36: "•"
      default: "·"
      }
    case .ascii:
      // The magnitude, from the diameter.
      switch marker.size / 6 - 3 {
      case let magnitude where (1..<10).contains(magnitude): Character(String(Int(magnitude)))
      case 10...: "9"
      default: "o"
      }
    }
  }

  /// The braille pattern of some dots. Unicode numbers the dots of the first three rows by column, then those of the fourth
  /// row.
  private static func braille(_ isLand: (_ column: Int, _ row: Int) -> Bool) -> Character {
    var bits: UInt32 = 0
    for (bit, (column, row)) in zip(0..., [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)])
    where isLand(column, row) {
      bits |= 1 << bit
    }
    // A space looks like the empty pattern in every font.
    return bits == 0 ? " " : Character(Unicode.Scalar(0x2800 + bits) ?? " ")
  }
}

/// The marker of a quake on the map.
package struct QuakeMarker: Hashable, Sendable {
  /// The quake's id.
  package let quakeId: Quake.ID
  /// The diameter, in points: `(magnitude + 3) * 6`.
  package let size: Double
  /// The color of the magnitude.
  package let color: QuakeColor
  /// Whether the outline is black instead of gray.
  package let hasBlackStroke: Bool
  /// The width of the outline, in points.
  package let strokeWidth: Double
  /// The opacity, 0 to 1.
  package let fillOpacity: Double

  /// Creates the marker of a quake.
  package init(_ quake: Quake, selection: Quake.ID?) {
    let isSelected = quake.id == selection
    quakeId = quake.id
    size = (quake.magnitude + 3) * 6
    color = quake.color
    hasBlackStroke = isSelected
    strokeWidth = isSelected ? 2 : 1
    fillOpacity = isSelected ? 1 : 0.5
  }
}
