package import TerminalUI

/// A screen whose place is kept after every key.
@MainActor package final class PlaceKeeper<Place: Codable & Equatable & Sendable>: TerminalScreen {
  private let screen: any TerminalScreen
  private let file: PlaceFile<Place>
  private let place: @MainActor () -> Place

  /// Keeps the place of a screen.
  ///
  /// - Parameters:
  ///   - screen: The screen.
  ///   - file: Where its place is kept.
  ///   - place: The place that it is at.
  package init(_ screen: any TerminalScreen, in file: PlaceFile<Place>, _ place: @escaping @MainActor () -> Place) {
    self.screen = screen
    self.file = file
    self.place = place
  }

  /// Draws the screen.
  package func render(on canvas: Canvas) { screen.render(on: canvas) }

  /// Hands a key to the screen, and keeps the place that it led to.
  package func handle(_ key: TerminalUI.Key) -> KeyResponse {
    defer { file.keep(place()) }
    return screen.handle(key)
  }

  /// Whether the screen is done.
  package var isFinished: Bool { screen.isFinished }
}
