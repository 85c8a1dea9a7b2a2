import CounterData
import EventSourcing
import TerminalUI
import TimeTravel

/// The window of the counter on its past: the same presenter, driven by a cursor in the history instead of the store.
@MainActor struct CounterPastWindow {
  private let cursor: HistoryCursor<CounterModel>
  private var window: CounterWindow
  /// Where the window stands. Kept here, because a cursor's place is not observed.
  private(set) var revision: Int

  init(_ cursor: HistoryCursor<CounterModel>) {
    self.cursor = cursor
    window = CounterWindow("", store: cursor)
    revision = cursor.revision
    window.title = title
  }

  var lastRevision: Int { cursor.revisions.upperBound }

  /// Moves one action; a step that fails leaves everything as it is.
  mutating func step(isForward: Bool) throws {
    if isForward { try cursor.stepForward() } else { try cursor.stepBackward() }
    revision = cursor.revision
    window.title = title
  }

  func draw(in canvas: Canvas) {
    window.draw(in: canvas, hasKeyboard: false, isEnabled: false)
  }

  private var title: String { "Counter at revision \(revision)" }
}
