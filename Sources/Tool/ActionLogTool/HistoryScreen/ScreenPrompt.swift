import TerminalUI
import TimeTravel

struct ScreenPrompt {
  enum Kind: Equatable {
    case point, filter, search, until, reverseUntil, bisect, markName, testFile, reportFile
    case markRemark(name: String)
    case edit(WhatIfEdits.Kind, Int)
  }

  struct Fault {
    /// The offset of the invalid character; `nil` if there is no single one.
    var offset: Int?
    var message: ScreenMessage
  }

  let kind: Kind
  /// The value of an empty input.
  var last = ""
  /// The filter and the pane before the prompt, to which Escape returns.
  var formerFilter: ActionFilter?
  var formerPane: HistoryScreen.Pane?
  var field = TextField()
  var fault: Fault?
  var isOpen = true

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
    case .edit(let kind, let revision): kind == .insert ? "after revision \(revision)" : "instead of action \(revision)"
    case .testFile: "file of the test"
    case .reportFile: "file of the bug report"
    }
  }

  var placeholder: String {
    if kind == .testFile || kind == .reportFile { return "\(last) (Enter takes it)" }
    if !last.isEmpty { return "\(last) (Enter repeats it)" }
    return switch kind {
    case .point: "42, -3, end, 2026-11-21T09:00:05Z, 5m ago, the name of a mark"
    case .filter: ActionSearch.forms
    case .search: "part of a name or value; S repeats the search"
    case .until, .reverseUntil: "a condition like /count > 3, /status changed, type like \"ui.*\""
    case .bisect: "a condition on the state like /count > 3"
    case .markName: "a name for this revision"
    case .markRemark: "a remark, if any"
    case .edit: "no edit, or an action: a type, followed by a space and its data"
    case .testFile, .reportFile: last
    }
  }

  /// Shows an error, and moves the cursor to the invalid character.
  mutating func note(_ error: any Error) {
    let offset = (error as? TimeTravelError)?.excerpt?.offset
    if let offset { field.moveCursor(to: offset) }
    fault = Fault(offset: offset, message: ScreenMessage(error))
  }

  /// The field, and a row for the keys or an error.
  private static let standardHeight = 2

  @MainActor func height(in canvas: Canvas) -> Int {
    guard let fault else { return Self.standardHeight }
    let rowCount = Self.notice(of: fault, in: canvas).rowCount(in: canvas)
    guard let offset = fault.offset else { return 1 + rowCount }
    let column = min(canvas.width - 1, TextWidth.of(label) + 2 + offset)
    return place(of: fault, at: column, canvas.width) == .below ? Self.standardHeight + rowCount : Self.standardHeight
  }

  /// - Parameter screen: The complete screen, to which the height of the error is limited.
  @MainActor func draw(in canvas: Canvas, of screen: Canvas) {
    let column = field.draw(in: canvas, label: label, placeholder: placeholder)
    guard let fault else { return }
    let notice = Self.notice(of: fault, in: screen)
    guard fault.offset != nil else { return notice.draw(in: canvas.part(row: 1)) }
    let message = StyledText(fault.message.text, .color(.red))
    let sign = StyledText("^", CellStyle(.red, .bold))
    canvas.write(sign, row: 1, column: column)
    switch place(of: fault, at: column, canvas.width) {
    case .after: canvas.write(message, row: 1, column: column + 2)
    case .before: canvas.write(message, row: 1, column: column - 1 - message.width)
    case .below: notice.draw(in: canvas.part(row: 2))
    }
  }

  /// The position of an error message: next to the sign that points at the character if it fits, otherwise below.
  private enum MessagePlace { case after, before, below }

  private func place(of fault: Fault, at column: Int, _ columns: Int) -> MessagePlace {
    let width = TextWidth.of(TerminalText.escaping(fault.message.text))
    return column + 2 + width <= columns ? .after : width + 1 <= column ? .before : .below
  }

  @MainActor private static func notice(of fault: Fault, in screen: Canvas) -> Notice {
    fault.message.notice(in: screen, style: .color(.red))
  }
}

/// A message of the screen, with a short form for small screens.
struct ScreenMessage {
  private(set) var text = ""
  /// `nil` if there is none.
  private var essence: String?

  init(_ text: String = "") {
    self.text = text
  }

  init(_ error: any Error) {
    let failure = ToolFailure(any: error)
    text = failure.message
    essence = failure.essence
  }

  init(_ hint: QuestionHint) {
    text = hint.description
  }

  /// About where a condition holds.
  init(_ condition: String, _ answer: String, _ hints: [QuestionHint]) {
    text = (["\(condition) \(answer)"] + hints.map(\.description)).joined(separator: "; ")
    // The user has just entered the condition.
    essence = hints.first.map { hint in "it \(answer); \(hint.essence)" } ?? "it \(answer)"
  }

  var isEmpty: Bool { text.isEmpty }

  /// The longest form of the message that fits.
  @MainActor func notice(in canvas: Canvas, style: CellStyle) -> Notice {
    let whole = Notice(text, style: style)
    guard let essence, TextWrapping.lines(text, columns: canvas.width).count > whole.rowCount(in: canvas) else {
      return whole
    }
    return Notice(essence, style: style)
  }
}
