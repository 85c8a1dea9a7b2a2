import TerminalUI

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
