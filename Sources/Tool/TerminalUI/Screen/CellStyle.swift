/// How a character on the screen stands out.
///
/// Colours are left away where nobody wants them (`NO_COLOR`), so nothing may be told by colour alone.
public struct CellStyle: Hashable, Sendable {
  /// Ways to stand out that need no colour.
  public struct Attributes: OptionSet, Hashable, Sendable {
    /// The bits, one for each attribute.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Heavier.
    public static let bold = Attributes(rawValue: 1)
    /// Fainter.
    public static let dim = Attributes(rawValue: 2)
    /// Slanted, where the terminal can.
    public static let italic = Attributes(rawValue: 4)
    /// With a line below.
    public static let underlined = Attributes(rawValue: 8)
    /// Ground and character exchanged.
    public static let reversed = Attributes(rawValue: 16)
  }

  /// The colour of the character; `nil` for the terminal's own.
  public var foreground: TerminalColor?
  /// The colour of the ground; `nil` for the terminal's own.
  public var background: TerminalColor?
  /// The other ways in which it stands out.
  public var attributes: Attributes

  /// Makes a style.
  ///
  /// - Parameters:
  ///   - foreground: The colour of the character; `nil` for the terminal's own.
  ///   - background: The colour of the ground; `nil` for the terminal's own.
  ///   - attributes: The other ways in which it stands out.
  public init(_ foreground: TerminalColor? = nil, on background: TerminalColor? = nil, _ attributes: Attributes = []) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  /// As all other text.
  public static let plain = CellStyle()
  /// Heavier.
  public static let bold = CellStyle(nil, .bold)
  /// Fainter.
  public static let dim = CellStyle(nil, .dim)
  /// With a line below.
  public static let underlined = CellStyle(nil, .underlined)
  /// Ground and character exchanged.
  public static let reversed = CellStyle(nil, .reversed)

  /// Characters in a colour.
  ///
  /// - Parameter color: The colour.
  public static func color(_ color: TerminalColor) -> CellStyle { CellStyle(color) }

  /// This style with what another one adds; where both name a colour, the other one's.
  ///
  /// - Parameter other: What is added.
  public func adding(_ other: CellStyle) -> CellStyle {
    CellStyle(
      other.foreground ?? foreground, on: other.background ?? background, attributes.union(other.attributes))
  }
}
