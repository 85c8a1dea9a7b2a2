import TextDisplay

/// A line of text whose parts stand out in different ways.
///
/// ```swift
/// let row: StyledText = "magnitude " + StyledText("6.1", .color(.purple))
/// ```
public struct StyledText: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// A part in one style.
  public struct Span: Hashable, Sendable {
    /// The text.
    public var text: String
    /// How it stands out.
    public var style: CellStyle
  }

  /// The parts, in order.
  public private(set) var spans: [Span]

  /// Makes a text of one style.
  ///
  /// - Parameters:
  ///   - text: The text. Control characters in it are shown as escapes.
  ///   - style: How it stands out.
  public init(_ text: String, _ style: CellStyle = .plain) {
    spans = text.isEmpty ? [] : [Span(text: text, style: style)]
  }

  /// Makes a plain text.
  ///
  /// - Parameter value: The text.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The text without its styles.
  public var text: String { spans.map(\.text).joined() }

  /// How many columns it takes as it is shown.
  ///
  /// - Complexity: O(length of the text).
  public var width: Int { TextWidth.of(TerminalText.escaping(text)) }

  /// One text after the other.
  ///
  /// - Parameters:
  ///   - left: The first one.
  ///   - right: The second one.
  public static func + (left: StyledText, right: StyledText) -> StyledText {
    var result = left
    result.spans += right.spans
    return result
  }

  /// Appends a text.
  ///
  /// - Parameters:
  ///   - left: The text that grows.
  ///   - right: What is appended.
  public static func += (left: inout StyledText, right: StyledText) {
    left.spans += right.spans
  }

  /// The text as a cell of a table: cut, or filled up with spaces.
  ///
  /// - Parameters:
  ///   - columns: How many columns it takes then, at least 0.
  ///   - isTrailing: Whether the spaces come before it, as numbers want it.
  public func fitted(to columns: Int, trailing isTrailing: Bool = false) -> StyledText {
    let width = width
    if width > columns { return truncated(to: columns) }
    let padding = StyledText(String(repeating: " ", count: columns - width))
    return isTrailing ? padding + self : self + padding
  }

  /// The text, cut to a number of columns; what was cut is told by an ellipsis.
  ///
  /// - Parameter columns: How many columns it may take, at least 0.
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

  /// The text with a style added to each of its parts.
  ///
  /// - Parameter style: What is added; what a part says itself counts more.
  public func styled(_ style: CellStyle) -> StyledText {
    var result = self
    result.spans = spans.map { span in Span(text: span.text, style: style.adding(span.style)) }
    return result
  }
}
