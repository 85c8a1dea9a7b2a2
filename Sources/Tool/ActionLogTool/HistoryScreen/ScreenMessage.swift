import TerminalUI
import TextDisplay
import TimeTravel

/// What a screen has to say, as a whole and, for screens without room for that, in the words that matter.
struct ScreenMessage {
  private(set) var text = ""
  /// What is said where there is no room for all of it; `nil` where nothing can be left out.
  private var essence: String?
  /// The same with the place that it is about, for screens with room for that, too.
  private var pointing: Pointing?

  /// A condition, the character that is meant, and what is said of it.
  private struct Pointing {
    var line: String
    var column: Int
    var text: String

    /// - Parameters:
    ///   - answer: What stands behind the condition.
    ///   - hints: What may be wrong with it; `nil` comes of those that point at nothing.
    init?(_ answer: String, _ hints: [QuestionHint]) {
      guard let excerpt = hints.first?.excerpt else { return nil }
      line = excerpt.text + answer
      column = TextWidth.of(TerminalText.escaping(String(excerpt.text.prefix(excerpt.offset))))
      text = hints.map(\.headline).joined(separator: "; ")
    }
  }

  init(_ text: String = "") {
    self.text = text
  }

  /// Why something failed.
  init(_ error: any Error) {
    let failure = ToolFailure(any: error)
    text = failure.message
    essence = failure.essence
  }

  /// What may be wrong with a condition.
  init(_ hint: QuestionHint) {
    text = hint.headline
    pointing = Pointing("", [hint])
  }

  /// Where a condition holds, and what may be wrong with it.
  init(_ condition: String, _ answer: String, _ hints: [QuestionHint]) {
    text = (["\(condition) \(answer)"] + hints.map(\.headline)).joined(separator: "; ")
    // Who has just typed it knows the condition.
    essence = hints.first.map { hint in "it \(answer); \(hint.essence)" } ?? "it \(answer)"
    pointing = Pointing(" " + answer, hints)
  }

  var isEmpty: Bool { text.isEmpty }

  /// As much of it as a screen has room for.
  ///
  /// - Parameter canvas: The whole screen.
  @MainActor func notice(in canvas: Canvas, style: CellStyle) -> ScreenNotice {
    if let pointing {
      let notice = ScreenNotice(
        pointing.text,
        about: ScreenNotice.Line(
          text: StyledText(pointing.line, style), column: pointing.column), style: style)
      if notice.fits(in: canvas) { return notice }
    }
    let whole = ScreenNotice(text, style: style)
    guard let essence, !whole.fits(in: canvas) else { return whole }
    return ScreenNotice(essence, style: style)
  }
}
