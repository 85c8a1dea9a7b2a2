package import CounterData
import EventSourcing
package import ImmutableData
package import ImmutableUI
import TerminalUI
import TimeTravel

/// The presenter of a window: draws the number and the two buttons from values, without a store.
@MainActor struct CounterPresenter {
  /// A button, in order from the left.
  enum Button: String, CaseIterable, Sendable {
    case increment = "Increment"
    case decrement = "Decrement"
  }

  var title: String
  var value: Int
  /// The focused button; `nil` if the window does not have the keyboard focus.
  var focus: Button?
  var isEnabled: Bool

  func draw(in canvas: Canvas) {
    let inside = canvas.box(StyledText(title, focus == nil ? .plain : .bold)).part(row: 1, column: 1)
    inside.write(StyledText("Value: \(value)", .bold), row: 0)
    var column = 0
    for button in Button.allCases {
      let isFocused = button == focus && isEnabled
      let label = isFocused ? "[›\(button.rawValue)‹]" : "[ \(button.rawValue) ]"
      let style: CellStyle = !isEnabled ? .dim : isFocused ? .reversed : .plain
      column = inside.write(StyledText(label, style), row: 2, column: column) + 1
    }
  }
}

/// A window of the counter: passes the number from a store to the presenter.
///
/// Every window has its own listener. Windows agree because they share the store.
@MainActor struct CounterWindow {
  var title: String
  var focus = CounterPresenter.Button.increment
  private let value: SelectValue

  init<Store>(
    _ title: String, store: Store
  ) where Store: ImmutableData.Selector<CounterState> & Streamer<CounterState, CounterAction> & AnyObject {
    self.title = title
    value = SelectValue(store)
  }

  func draw(in canvas: Canvas, hasKeyboard: Bool, isEnabled: Bool = true) {
    CounterPresenter(title: title, value: value.wrappedValue, focus: hasKeyboard ? focus : nil, isEnabled: isEnabled)
      .draw(in: canvas)
  }
}

/// A window on the history of the counter. It uses the same presenter, with a cursor instead of a store.
@MainActor struct CounterPastWindow {
  private let cursor: HistoryCursor<CounterModel>
  private var window: CounterWindow
  /// The revision of the window. It is stored here because a cursor's position is not observed.
  private(set) var revision: Int

  init(_ cursor: HistoryCursor<CounterModel>) {
    self.cursor = cursor
    window = CounterWindow("", store: cursor)
    revision = cursor.revision
    window.title = title
  }

  var lastRevision: Int { cursor.revisions.upperBound }

  /// Moves by one action. If that fails, nothing changes.
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

/// The value of the counter, from a store or a position in a history.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4.
@MainActor package struct SelectValue {
  private let read: @MainActor () -> Int

  /// Creates a selection with its own listener.
  package init<Store>(
    _ store: Store
  ) where Store: ImmutableData.Selector<CounterState> & Streamer<CounterState, CounterAction> & AnyObject {
    let selection = Selection(store, label: "SelectValue", outputSelector: CounterState.selectValue())
    read = { selection.output }
  }

  /// The value at the last update. Reading is observed.
  package var wrappedValue: Int { read() }
}

/// The function with which the counter's views dispatch actions.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4.
package typealias Dispatch = ActionDispatch<CounterAction>

/// Stores for previews of the counter's screen, without a log.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4 (the previews of `Content`).
package enum CounterPreview: String, CaseIterable, Sendable {
  /// The counter's own reducer.
  case usual
  /// A reducer that rejects every action, to show an error.
  case refusing

  /// Creates the store.
  @MainActor package func makeStore() -> Store<CounterState, CounterAction> {
    switch self {
    case .usual: Store(initialState: CounterState(), reducer: CounterReducer.reduce)
    case .refusing:
      Store(initialState: CounterState()) { state, action in throw CounterError(state: state, action: action) }
    }
  }
}

/// The error of the preview's reducer.
package struct CounterError: Error, Equatable {
  /// The state, which does not change.
  package let state: CounterState
  /// The rejected action.
  package let action: CounterAction
}

extension CounterError: CustomStringConvertible {
  package var description: String { "\(action) at \(CounterState.selectValue()(state)) is refused by this preview" }
}
