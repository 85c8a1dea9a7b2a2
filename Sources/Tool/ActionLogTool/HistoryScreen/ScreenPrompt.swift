import TerminalUI
import TextDisplay
import TimeTravel

/// What is being typed into the line at the bottom of a screen.
struct ScreenPrompt {
  /// What it is for.
  enum Kind: Equatable {
    case point, filter, search, until, reverseUntil, bisect, markName
    case markRemark(name: String)
  }

  /// What is wrong with what was typed.
  struct Fault {
    /// How many characters stand before the one that is wrong; `nil` where it is all of it.
    var offset: Int?
    var message: ScreenMessage
  }

  let kind: Kind
  /// What is meant where nothing is typed.
  var last = ""
  var field = TextField()
  var fault: Fault?
  /// Whether it goes on.
  var isOpen = true

  /// What stands before the field.
  var label: String {
    switch kind {
    case .point: "go to"
    case .filter: "filter"
    case .search: "search the state"
    case .until: "forward until"
    case .reverseUntil: "back until"
    case .bisect: "bisect"
    case .markName: "name of the mark"
    case .markRemark(let name): "remark on \(name)"
    }
  }

  /// What stands in the field while it is empty.
  var placeholder: String {
    if !last.isEmpty { return "\(last) (Enter asks for that again)" }
    return switch kind {
    case .point: "42, -3, end, 2026-11-21T09:00:05Z, 5m ago, the name of a mark"
    case .filter: ActionSearch.forms
    case .search: "a part of a name or value; S searches on"
    case .until, .reverseUntil: "a condition like /count > 3, /status changed, type like \"ui.*\""
    case .bisect: "a condition on the state like /count > 3"
    case .markName: "what this revision is to be called"
    case .markRemark: "what is to be said of it, if anything"
    }
  }

  /// Takes what failed, with the cursor at the character that is wrong.
  mutating func note(_ error: any Error) {
    let offset = (error as? TimeTravelError)?.excerpt?.offset
    if let offset { field.moveCursor(to: offset) }
    fault = Fault(offset: offset, message: ScreenMessage(error))
  }

  /// The field, and a row for the keys or for what is wrong.
  private static let usualHeight = 2

  /// How many rows it takes.
  ///
  /// - Parameter canvas: The whole screen.
  @MainActor func height(in canvas: Canvas) -> Int {
    guard let fault else { return Self.usualHeight }
    let rowCount = Self.notice(of: fault, in: canvas).rowCount(in: canvas)
    guard let offset = fault.offset else { return 1 + rowCount }
    let column = min(canvas.width - 1, TextWidth.of(label) + 2 + offset)
    return place(of: fault, at: column, canvas.width) == .below ? Self.usualHeight + rowCount : Self.usualHeight
  }

  /// Draws the field, and below it what is wrong.
  ///
  /// - Parameters:
  ///   - canvas: Where it is drawn.
  ///   - screen: All of the screen.
  @MainActor func draw(in canvas: Canvas, of screen: Canvas) {
    let column = field.draw(in: canvas, label: label, placeholder: placeholder)
    guard let fault else { return }
    let notice = Self.notice(of: fault, in: screen)
    guard fault.offset != nil else { return notice.draw(in: canvas.part(row: 1)) }
    let message = StyledText(fault.message.text, .color(.red))
    let sign = StyledText("^", CellStyle(.red, .bold))
    canvas.write(sign, row: 1, column: column)
    switch place(of: fault, at: column, canvas.width) {
    case .behind: canvas.write(message, row: 1, column: column + 2)
    case .before: canvas.write(message, row: 1, column: column - 1 - message.width)
    case .below: notice.draw(in: canvas.part(row: 2))
    }
  }

  /// Where a message stands: beside the sign that points at the character, where there is room.
  private enum MessagePlace { case behind, before, below }

  private func place(of fault: Fault, at column: Int, _ columns: Int) -> MessagePlace {
    let width = TextWidth.of(TerminalText.escaping(fault.message.text))
    return column + 2 + width <= columns ? .behind : width + 1 <= column ? .before : .below
  }

  @MainActor private static func notice(of fault: Fault, in screen: Canvas) -> ScreenNotice {
    fault.message.notice(in: screen, style: .color(.red))
  }
}
