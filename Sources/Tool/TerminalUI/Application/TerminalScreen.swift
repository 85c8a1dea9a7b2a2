/// What a screen made of a key.
public enum KeyResponse: Hashable, Sendable {
  /// It did something, or decided that there is nothing to do.
  case handled
  /// It has no use for the key.
  case ignored
  /// It is done: the application ends.
  case finish
}

/// A screen of an application in the terminal: it draws what is, and is told what is typed.
///
/// ```swift
/// @MainActor final class Greeting: TerminalScreen {
///   private var name = TextField()
///
///   func render(on canvas: Canvas) {
///     name.draw(in: canvas.part(row: 0, height: 1), label: "Name")
///     canvas.write(StyledText("Hello \(name.text)!", .bold), row: 2)
///     canvas.write("Esc quits", row: canvas.height - 1, style: .dim)
///   }
///
///   func handle(_ key: Key) -> KeyResponse {
///     if key == .escape { return .finish }
///     return name.handle(key) ? .handled : .ignored
///   }
/// }
///
/// let ending = try await TerminalApplication(Greeting()).run()
/// ```
///
/// Drawing is observed (`Observation`): when something that ``render(on:)`` has read from an `@Observable` object or from a
/// `Selection` of a store changes later, the screen is drawn again. After every key it is drawn again anyway. So a screen
/// needs no calls that say "redraw"; what it shows must be reachable by observation, or change by keys only.
///
/// Tests drive a screen without a terminal: ``ScreenDriver``.
@MainActor public protocol TerminalScreen: AnyObject {
  /// Draws everything, on a canvas on which nothing is. Called often: it must not block, and it dispatches nothing.
  ///
  /// What it changes in the screen itself, for instance how far a list is scrolled, does not cause another drawing.
  ///
  /// - Parameter canvas: The whole screen, as large as it is now.
  func render(on canvas: Canvas)

  /// Does what a key asks for. It must not block; what takes long is a task, whose result is shown by observation.
  ///
  /// - Parameter key: What was typed.
  /// - Returns: What was made of it. The application ends at ``KeyResponse/finish``.
  func handle(_ key: Key) -> KeyResponse

  /// Whether the application ends without a key, for instance after a task that closes a file. It is observed like
  /// everything that is drawn.
  var isFinished: Bool { get }
}

extension TerminalScreen {
  /// Never without a key.
  public var isFinished: Bool { false }
}
