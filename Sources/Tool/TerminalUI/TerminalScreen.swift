import Observation
import Platform

/// A screen's response to a key.
public enum KeyResponse: Hashable, Sendable {
  /// The screen handled the key.
  case handled
  /// The screen does not use the key.
  case ignored
  /// The screen is finished: the application ends.
  case finish
}

/// A screen of a terminal application.
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
/// Drawing is tracked with `Observation`: the screen is redrawn when a property changes that ``render(on:)`` read from an
/// `@Observable` object or from a `Selection` of a store. It is also redrawn after every key. State that a screen shows must
/// therefore be observable, or change by keys only.
///
/// Tests run a screen without a terminal with ``ScreenDriver``.
@MainActor public protocol TerminalScreen: AnyObject {
  /// Draws the screen on an empty canvas of the current size. It is called often, must not block, and must not dispatch actions.
  ///
  /// Changes that it makes to the screen itself, such as the scroll offset of a list, do not cause a redraw.
  func render(on canvas: Canvas)

  /// Handles a key. It must not block: start a task for long operations, and show its result by observation.
  func handle(_ key: Key) -> KeyResponse

  /// Whether the application ends without a key, for instance after a task has closed a file. It is observed like
  /// ``render(on:)``.
  var isFinished: Bool { get }
}

extension TerminalScreen {
  /// `false`: the application ends by a key only.
  public var isFinished: Bool { false }
}

/// A screen together with its observation; shared by the event loop and ``ScreenDriver``.
@MainActor final class ScreenSession {
  private struct Changes: Sendable {
    var isDrawing = false
    var isChanged = false
  }

  private let screen: any TerminalScreen
  /// Called on any thread when drawn state has changed, at most once for each drawing.
  private let onChange: @Sendable () -> Void
  private let changes = Locked(Changes(isChanged: true))
  private(set) var isFinished = false

  init(_ screen: any TerminalScreen, onChange: @escaping @Sendable () -> Void) {
    self.screen = screen
    self.onChange = onChange
  }

  var needsDrawing: Bool { changes.withLock { changes in changes.isChanged } }

  func draw(size: TerminalSize) -> ScreenBuffer {
    // Changes during the drawing are ignored: otherwise a screen that changes itself would be redrawn forever.
    changes.withLock { changes in changes = Changes(isDrawing: true) }
    defer { changes.withLock { changes in changes.isDrawing = false } }
    let canvas = Canvas(size: size)
    let isDone = withObservationTracking {
      screen.render(on: canvas)
      return screen.isFinished
    } onChange: { [changes, onChange] in
      let isNew = changes.withLock { changes -> Bool in
        guard !changes.isDrawing, !changes.isChanged else { return false }
        changes.isChanged = true
        return true
      }
      if isNew { onChange() }
    }
    if isDone { isFinished = true }
    return canvas.surface.buffer
  }

  @discardableResult func handle(_ key: Key) -> KeyResponse {
    let response = screen.handle(key)
    if response == .finish { isFinished = true }
    changes.withLock { changes in changes.isChanged = true }
    return response
  }

  func invalidate() {
    changes.withLock { changes in changes.isChanged = true }
  }
}

/// A driver that runs a screen without a terminal: keys in, text out. For tests, and to print a screen as text.
///
/// ```swift
/// let driver = ScreenDriver(CounterScreen(store), columns: 40, rows: 10)
/// driver.press("+", .down, .enter)
/// #expect(driver.text.contains("Value: 1"))
/// ```
///
/// Reading ``text`` or ``lines`` draws the screen. A test has to wait for changes that tasks make.
@MainActor public final class ScreenDriver {
  private let session: ScreenSession
  /// The size of the screen. A new size takes effect at the next drawing.
  public var size: TerminalSize

  /// Creates a driver and draws the screen.
  public init(_ screen: any TerminalScreen, columns: Int = 80, rows: Int = 24) {
    session = ScreenSession(screen) {}
    size = TerminalSize(columns: columns, rows: rows)
    // Before the first drawing, a screen does not know the heights of its lists.
    _ = session.draw(size: size)
  }

  /// Whether the screen has ended the application.
  public var isFinished: Bool {
    if !session.isFinished { _ = buffer }
    return session.isFinished
  }

  /// Whether the last drawing is out of date, so that an application would redraw it.
  public var needsDrawing: Bool { session.needsDrawing }

  package var buffer: ScreenBuffer { session.draw(size: size) }

  /// The current screen as text, without styles and without empty rows at its end.
  public var text: String { buffer.text }

  /// All rows of the current screen as text.
  public var lines: [String] { buffer.lines }

  /// Presses keys, and draws the screen after each.
  ///
  /// - Returns: The response to the last key.
  /// - Precondition: The screen is not finished.
  @discardableResult public func press(_ keys: Key...) -> KeyResponse {
    press(keys)
  }

  /// Types a text character by character. A line feed is Enter.
  ///
  /// - Returns: The response to the last character.
  /// - Precondition: The screen is not finished.
  @discardableResult public func type(_ text: String) -> KeyResponse {
    press(text.map { character in character.isNewline ? .enter : .character(character) })
  }

  private func press(_ keys: [Key]) -> KeyResponse {
    var response = KeyResponse.ignored
    for key in keys {
      precondition(!session.isFinished, "cannot press '\(key)': the screen is finished")
      response = session.handle(key)
      _ = session.draw(size: size)
    }
    return response
  }
}
