/// Drives a screen without a terminal: keys in, text out. For tests, and for whoever wants a screen as text.
///
/// ```swift
/// let driver = ScreenDriver(CounterScreen(store), columns: 40, rows: 10)
/// driver.press("+", .down, .enter)
/// #expect(driver.text.contains("Value: 1"))
/// ```
///
/// Each look draws anew, so what changed meanwhile is seen; what changes in tasks has to be waited for as in every test.
@MainActor public final class ScreenDriver {
  private let session: ScreenSession
  /// How large the screen is. Another size takes effect at the next look.
  public var size: TerminalSize

  /// Begins to drive a screen.
  ///
  /// - Parameters:
  ///   - screen: The screen.
  ///   - columns: How many columns there are.
  ///   - rows: How many rows there are.
  public init(_ screen: any TerminalScreen, columns: Int = 80, rows: Int = 24) {
    session = ScreenSession(screen) {}
    size = TerminalSize(columns: columns, rows: rows)
    // A screen that was never drawn does not know yet how many rows its lists have.
    _ = session.draw(size: size)
  }

  /// Whether the screen has ended the application.
  public var isFinished: Bool {
    if !session.isFinished { _ = buffer }
    return session.isFinished
  }

  /// Whether something that was drawn at the last look has changed since, so that a terminal would be drawn again.
  public var needsDrawing: Bool { session.needsDrawing }

  /// The screen as it is now, with its styles and its cursor.
  public var buffer: ScreenBuffer { session.draw(size: size) }

  /// The screen as text, without styles and without empty rows at its end.
  public var text: String { buffer.text }

  /// The rows of the screen as text, all of them.
  public var lines: [String] { buffer.lines }

  /// Presses keys, one after the other. The screen is drawn after each, as a terminal would.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: What was made of the last one.
  /// - Precondition: The screen has not ended the application yet.
  @discardableResult public func press(_ keys: Key...) -> KeyResponse {
    press(keys)
  }

  /// Types a text, character by character; a line feed is Enter.
  ///
  /// - Parameter text: The text.
  /// - Returns: What was made of the last character.
  /// - Precondition: The screen has not ended the application yet.
  @discardableResult public func type(_ text: String) -> KeyResponse {
    press(text.map { character in character.isNewline ? .enter : .character(character) })
  }

  private func press(_ keys: [Key]) -> KeyResponse {
    var response = KeyResponse.ignored
    for key in keys {
      precondition(!session.isFinished, "the screen has ended the application; nobody takes '\(key)'")
      response = session.handle(key)
      _ = session.draw(size: size)
    }
    return response
  }
}
