/// A colour of a terminal's palette.
///
/// The sixteen basic colours follow the person's own theme; the others are fixed.
public struct TerminalColor: Hashable, Sendable {
  /// The place in the palette: 0…15 basic, 16…231 a cube of colours, 232…255 greys.
  public let index: UInt8

  /// A colour by its place in the palette of 256.
  ///
  /// - Parameter index: The place.
  public static func palette(_ index: UInt8) -> TerminalColor { TerminalColor(index: index) }

  /// The theme's black.
  public static let black = palette(0)
  /// The theme's red.
  public static let red = palette(1)
  /// The theme's green.
  public static let green = palette(2)
  /// The theme's yellow.
  public static let yellow = palette(3)
  /// The theme's blue.
  public static let blue = palette(4)
  /// The theme's magenta.
  public static let magenta = palette(5)
  /// The theme's cyan.
  public static let cyan = palette(6)
  /// The theme's white.
  public static let white = palette(7)
  /// The theme's bright black: a grey.
  public static let gray = palette(8)
  /// An orange.
  public static let orange = palette(208)
  /// A purple.
  public static let purple = palette(135)
  /// An indigo that can be read on dark and on light ground.
  public static let indigo = palette(63)
}
