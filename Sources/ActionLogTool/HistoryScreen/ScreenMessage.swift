import TerminalUI
import TimeTravel

/// What a screen has to say, as a whole and, for screens without room for that, in the words that matter.
struct ScreenMessage {
  private(set) var text = ""
  /// What is said where there is no room for all of it; `nil` where nothing can be left out.
  private var essence: String?

  init(_ text: String = "") {
    self.text = text
  }

  /// Why something failed.
  init(_ error: any Error) {
    let failure = ToolFailure(any: error)
    text = failure.message
    essence = failure.essence
  }

  /// Where a condition holds, and what may be wrong with it.
  init(_ condition: String, _ answer: String, _ hints: [QuestionHint]) {
    text = (["\(condition) \(answer)"] + hints.map(\.headline)).joined(separator: "; ")
    // Who has just typed it knows the condition.
    essence = hints.first.map { hint in "it \(answer); \(hint.essence)" } ?? "it \(answer)"
  }

  var isEmpty: Bool { text.isEmpty }

  /// As much of it as a screen has room for.
  ///
  /// - Parameter canvas: The whole screen.
  @MainActor func notice(in canvas: Canvas, style: CellStyle) -> Notice {
    let whole = Notice(text, style: style)
    let lines = TextWrapping.lines(text, columns: canvas.width).count
    guard let essence, lines > whole.rowCount(in: canvas) else { return whole }
    return Notice(essence, style: style)
  }
}
