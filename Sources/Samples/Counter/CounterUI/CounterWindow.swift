import ActionLog
package import CounterData
import EventSourcing
package import ImmutableData
package import ImmutableUI
import TerminalUI

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

  func draw(in canvas: Canvas) {
    let inside = canvas.box(StyledText(title, focus == nil ? .plain : .bold)).part(row: 1, column: 1)
    inside.write(StyledText("Value: \(value)", .bold), row: 0)
    var column = 0
    for button in Button.allCases {
      let isFocused = button == focus
      let label = isFocused ? "[›\(button.rawValue)‹]" : "[ \(button.rawValue) ]"
      column = inside.write(StyledText(label, isFocused ? .reversed : .plain), row: 2, column: column) + 1
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

  init(_ title: String, store: some CounterSource) {
    self.title = title
    value = SelectValue(store)
  }

  func draw(in canvas: Canvas, hasKeyboard: Bool) {
    CounterPresenter(title: title, value: value.wrappedValue, focus: hasKeyboard ? focus : nil).draw(in: canvas)
  }
}

/// The value of the counter, from a store or a position in a history.
@MainActor package struct SelectValue {
  private let read: @MainActor () -> Int

  /// Creates a selection with its own listener.
  package init(_ store: some CounterSource) {
    let selection = Selection(store, label: "SelectValue", outputSelector: CounterState.selectValue())
    read = { selection.output }
  }

  /// The value at the last update. Reading is observed.
  package var wrappedValue: Int { read() }
}

/// A store of the counter, or a position in its history.
package typealias CounterSource = ImmutableData.Selector<CounterState> & Streamer<CounterState, CounterAction>
  & AnyObject

/// The function with which the counter's views dispatch actions.
package typealias Dispatch = ActionDispatch<CounterAction>

/// Stores for previews of the counter's screen, without a log.
package enum CounterPreview: String, CaseIterable, Sendable {
  case usual
  case refusing

  /// Creates the store.
  @MainActor package func makeStore() -> Store<CounterState, CounterAction> {
    switch self {
    case .usual: Store(initialState: CounterState(), reducer: CounterModel.reducer)
    case .refusing:
      Store(initialState: CounterState()) { state, action in throw CounterError(state: state, action: action) }
    }
  }
}

/// The error of the preview's reducer.
package struct CounterError: DescribedError, Equatable {
  /// The kind of failure.
  package enum Code: String, Sendable {
    case refused
  }

  /// The state, which does not change.
  package let state: CounterState
  /// The rejected action.
  package let action: CounterAction
}

extension CounterError {
  package var code: Code { .refused }

  package var message: String { "\(action) at \(CounterState.selectValue()(state)) is refused by this preview" }
}
