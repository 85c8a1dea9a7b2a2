package import CounterData
import EventSourcing
package import ImmutableData
package import ImmutableUI
import TerminalUI
import TimeTravel

/// Draws one window of the counter from values alone: the number and the two buttons.
///
/// It knows no store, which is what makes it a presenter: what it shows is what it is given.
@MainActor struct CounterPresenter {
  /// A button of the counter, in the order in which they stand.
  enum Button: String, CaseIterable, Sendable {
    case increment = "Increment"
    case decrement = "Decrement"
  }

  var title: String
  var value: Int
  /// The button that has the keyboard; `nil` when the window does not have it.
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

/// One window of the counter: reads the number from its store and hands it to the presenter.
///
/// Every window has a listener of its own; what keeps windows in agreement is the store alone.
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

/// The counter's number, kept up to date, from a live store or from a place in a history.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4.
@MainActor package struct SelectValue {
  private let read: @MainActor () -> Int

  /// Follows a store. Each value made this way has a listener of its own.
  package init<Store>(
    _ store: Store
  ) where Store: ImmutableData.Selector<CounterState> & Streamer<CounterState, CounterAction> & AnyObject {
    let selection = Selection(store, label: "SelectValue", outputSelector: CounterState.selectValue())
    read = { selection.output }
  }

  /// The number as it was published last. Reading it is observed.
  package var wrappedValue: Int { read() }
}

/// What the counter's views are given to say what happened.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4.
package typealias Dispatch = ActionDispatch<CounterAction>

/// Stores to look at the counter's screen with, without a log.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4 (the previews of `Content`).
package enum CounterPreview: String, CaseIterable, Sendable {
  /// The counter as it is.
  case usual
  /// A reducer that refuses every action: what a person sees of an error.
  case refusing

  /// Makes the store.
  @MainActor package func makeStore() -> Store<CounterState, CounterAction> {
    switch self {
    case .usual: Store(initialState: CounterState(), reducer: CounterReducer.reduce)
    case .refusing:
      Store(initialState: CounterState()) { state, action in throw CounterError(state: state, action: action) }
    }
  }
}

/// What the preview's reducer throws: the state and the action that met.
package struct CounterError: Error, Equatable {
  /// The state, which stays.
  package let state: CounterState
  /// The action, which was refused.
  package let action: CounterAction
}

extension CounterError: CustomStringConvertible {
  package var description: String { "\(action) at \(CounterState.selectValue()(state)) is refused by this preview" }
}
