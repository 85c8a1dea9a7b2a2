/// What a map is drawn with.
public enum MapStyle: Hashable, Sendable, CaseIterable {
  /// Braille patterns, which have eight dots to a character, and round marks.
  case braille
  /// Halves of blocks, which have two dots to a character, and round marks: for fonts without braille patterns.
  case blocks
  /// Letters and punctuation of ASCII alone: land is dotted, and a mark is the whole part of a magnitude.
  case ascii

  /// How many dots a character has in each direction.
  var dots: (columns: Int, rows: Int) {
    switch self {
    case .braille: (2, 4)
    // A character is twice as high as it is wide, and so are two dots, one above the other.
    case .blocks: (1, 2)
    case .ascii: (2, 4)
    }
  }

  /// The character of a place on land, or partly.
  ///
  /// - Parameter isLand: Whether a dot of the character is land, by its column and row.
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

  /// The character of a mark. A character has no diameter, so its shape shows the size of the mark.
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

  /// Unicode counts the dots of a braille pattern down the left column, then down the right one; the fourth row, which
  /// was added later, comes last.
  private static func braille(_ isLand: (_ column: Int, _ row: Int) -> Bool) -> Character {
    var bits: UInt32 = 0
    for (bit, (column, row)) in zip(0..., [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)])
    where isLand(column, row) {
      bits |= 1 << bit
    }
    // A space looks the same as the empty pattern, also where the font has no patterns.
    return bits == 0 ? " " : Character(Unicode.Scalar(0x2800 + bits) ?? " ")
  }
}
