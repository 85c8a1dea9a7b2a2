import Observation
import Platform

/// A screen, and whether what it shows has changed since it was drawn: what the real loop and tests have in common.
@MainActor final class ScreenSession {
  private struct Changes: Sendable {
    var isDrawing = false
    var isChanged = false
  }

  private let screen: any TerminalScreen
  /// Told on any thread when something that was drawn has changed, once for each drawing.
  private let onChange: @Sendable () -> Void
  private let changes = Locked(Changes(isChanged: true))
  private(set) var isFinished = false

  init(_ screen: any TerminalScreen, onChange: @escaping @Sendable () -> Void) {
    self.screen = screen
    self.onChange = onChange
  }

  /// Whether the screen that was drawn last is out of date.
  var needsDrawing: Bool { changes.withLock { changes in changes.isChanged } }

  /// Draws, and listens to what was read for it.
  func draw(size: TerminalSize) -> ScreenBuffer {
    // A screen that changes itself while it draws would be drawn for ever.
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

  /// Hands a key to the screen.
  @discardableResult func handle(_ key: Key) -> KeyResponse {
    let response = screen.handle(key)
    if response == .finish { isFinished = true }
    changes.withLock { changes in changes.isChanged = true }
    return response
  }

  /// Says that the screen must be drawn, for instance because its size is another one.
  func invalidate() {
    changes.withLock { changes in changes.isChanged = true }
  }
}
