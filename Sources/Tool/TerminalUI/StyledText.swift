/// A line of text with styles.
///
/// ```swift
/// let row: StyledText = "magnitude " + StyledText("6.1", .color(.purple))
/// ```
public struct StyledText: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// A run of text in one style.
  public struct Span: Hashable, Sendable {
    /// The text.
    public var text: String
    /// The style.
    public var style: CellStyle
  }

  /// The runs, in order.
  public private(set) var spans: [Span]

  /// Creates a text of one style. Control characters are escaped when it is drawn.
  public init(_ text: String, _ style: CellStyle = .plain) {
    spans = text.isEmpty ? [] : [Span(text: text, style: style)]
  }

  /// Creates a plain text.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The text without its styles.
  public var text: String { spans.map(\.text).joined() }

  /// The number of columns of the escaped text.
  public var width: Int { TextWidth.of(TerminalText.escaping(text)) }

  /// Concatenates two texts.
  public static func + (left: StyledText, right: StyledText) -> StyledText {
    var result = left
    result.spans += right.spans
    return result
  }

  /// Appends a text.
  public static func += (left: inout StyledText, right: StyledText) {
    left.spans += right.spans
  }

  /// The text truncated or padded with spaces to an exact width, for a cell of a table.
  ///
  /// - Parameters:
  ///   - columns: The number of columns, at least 0.
  ///   - isTrailing: Whether to align the text to the right, as for numbers.
  public func fitted(to columns: Int, trailing isTrailing: Bool = false) -> StyledText {
    let width = width
    if width > columns { return truncated(to: columns) }
    let padding = StyledText(String(repeating: " ", count: columns - width))
    return isTrailing ? padding + self : self + padding
  }

  /// The text truncated to a number of columns. If it does not fit, it ends with `…`.
  public func truncated(to columns: Int) -> StyledText {
    guard width > columns else { return self }
    guard columns > 0 else { return "" }
    var result: StyledText = ""
    var room = columns - 1
    for span in spans {
      var kept = ""
      for character in TerminalText.escaping(span.text) {
        let next = TextWidth.of(character)
        if next > room { return result + StyledText(kept + "…", span.style) }
        kept.append(character)
        room -= next
      }
      result += StyledText(kept, span.style)
    }
    return result
  }

  /// The text with a style added to each of its runs. The styles of the runs take precedence.
  public func styled(_ style: CellStyle) -> StyledText {
    var result = self
    result.spans = spans.map { span in Span(text: span.text, style: style.adding(span.style)) }
    return result
  }
}

/// Wraps text between words, and words that are longer than a line at its end.
package enum TextWrapping {
  /// The lines of a text: none if `columns` is 0. A line feed begins a new line; other control characters are escaped.
  package static func lines(_ text: String, columns: Int) -> [String] {
    guard columns > 0 else { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      wrap(TerminalText.escaping(String(line)), columns: columns)
    }
  }

  private static func wrap(_ line: String, columns: Int) -> [String] {
    var lines: [String] = []
    var current = ""
    var width = 0
    for word in line.split(separator: " ", omittingEmptySubsequences: true) {
      let length = TextWidth.of(String(word))
      if width > 0, width + 1 + length > columns {
        lines.append(current)
        (current, width) = ("", 0)
      }
      if width > 0 {
        current += " "
        width += 1
      }
      for character in word {
        let next = TextWidth.of(character)
        if width + next > columns, width > 0 {
          lines.append(current)
          (current, width) = ("", 0)
        }
        current.append(character)
        width += next
      }
    }
    lines.append(current)
    return lines
  }
}

/// The style of a character on the screen.
///
/// Colors are omitted if `NO_COLOR` is set, so no information may be conveyed by color alone.
public struct CellStyle: Hashable, Sendable {
  /// Text attributes other than colors.
  public struct Attributes: OptionSet, Hashable, Sendable {
    /// The bits, one for each attribute.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Bold.
    public static let bold = Attributes(rawValue: 1)
    /// Dimmed.
    public static let dim = Attributes(rawValue: 2)
    /// Underlined.
    public static let underlined = Attributes(rawValue: 8)
    /// Foreground and background swapped.
    public static let reversed = Attributes(rawValue: 16)
  }

  /// The foreground color; `nil` for the terminal's default.
  public var foreground: TerminalColor?
  /// The other attributes.
  public var attributes: Attributes

  /// Creates a style.
  public init(_ foreground: TerminalColor? = nil, _ attributes: Attributes = []) {
    self.foreground = foreground
    self.attributes = attributes
  }

  /// The default style.
  public static let plain = CellStyle()
  /// Bold.
  public static let bold = CellStyle(nil, .bold)
  /// Dimmed.
  public static let dim = CellStyle(nil, .dim)
  /// Underlined.
  public static let underlined = CellStyle(nil, .underlined)
  /// Foreground and background swapped.
  public static let reversed = CellStyle(nil, .reversed)

  /// A style with a foreground color.
  public static func color(_ color: TerminalColor) -> CellStyle { CellStyle(color) }

  /// This style combined with another one, whose color takes precedence.
  public func adding(_ other: CellStyle) -> CellStyle {
    CellStyle(other.foreground ?? foreground, attributes.union(other.attributes))
  }
}

/// A color of a terminal's palette.
///
/// The sixteen basic colors depend on the user's theme; the others are fixed.
public struct TerminalColor: Hashable, Sendable {
  /// The index in the palette: 0…15 basic colors, 16…231 a color cube, 232…255 grays.
  public let index: UInt8

  /// A color of the 256-color palette.
  public static func palette(_ index: UInt8) -> TerminalColor { TerminalColor(index: index) }

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
  /// The theme's bright black: a gray.
  public static let gray = palette(8)
  /// An orange.
  public static let orange = palette(208)
  /// A purple.
  public static let purple = palette(135)
  /// An indigo that is legible on dark and light backgrounds.
  public static let indigo = palette(63)
}
