/// A question in the middle of the screen that is answered yes or no, before something happens that cannot be undone.
///
/// The answer that changes nothing is preselected. While a dialog is open it gets every key.
///
/// ```swift
/// if let answer = dialog?.handle(key) {
///   dialog = nil
///   if answer == .confirmed { delete() }
/// }
/// ```
public struct ConfirmDialog: Hashable, Sendable {
  /// What the person has decided.
  public enum Answer: Hashable, Sendable {
    /// Do it.
    case confirmed
    /// Do not.
    case cancelled
  }

  /// The question.
  public let title: String
  /// What would happen.
  public let message: String
  /// What doing it is called, for instance `Delete`.
  public let confirmLabel: String
  private var isConfirmSelected = false

  /// Makes a dialog.
  ///
  /// - Parameters:
  ///   - title: The question.
  ///   - message: What would happen.
  ///   - confirmLabel: What doing it is called, for instance `Delete`.
  public init(_ title: String, message: String = "", confirmLabel: String) {
    self.title = title
    self.message = message
    self.confirmLabel = confirmLabel
  }

  /// Takes a key: `y` and `n` decide, the arrows and Tab choose, Enter takes the chosen answer, Esc says no.
  ///
  /// - Parameter key: The key.
  /// - Returns: The decision; `nil` while there is none.
  public mutating func handle(_ key: Key) -> Answer? {
    switch key {
    case .left, .right, .tab, .backTab: isConfirmSelected.toggle()
    case .enter: return isConfirmSelected ? .confirmed : .cancelled
    case .character("y"), .character("Y"): return .confirmed
    case .character("n"), .character("N"), .escape: return .cancelled
    default: break
    }
    return nil
  }

  /// What the keys do while a dialog is open, for the line of help.
  public static var help: [KeyBinding<Void>] {
    [
      KeyBinding("y", "yes", ()), KeyBinding("n", "no", ()), KeyBinding([.tab], "the other", ()),
      KeyBinding([.enter], "choose", ()), KeyBinding([.escape], "cancel", ()),
    ]
  }

  /// Draws the dialog over what is there.
  ///
  /// - Parameter canvas: The whole screen.
  @MainActor public func draw(in canvas: Canvas) {
    let width = min(60, canvas.width)
    let lines = TextWrapping.lines(message, columns: max(1, width - 4)).filter { line in !line.isEmpty || message != ""
    }
    let frame = canvas.centred(width: width, height: lines.count + (lines.isEmpty ? 3 : 4))
    frame.fill()
    let inside = frame.box(StyledText(title, .bold)).part(column: 1)
    for (row, line) in lines.enumerated() { inside.write(StyledText(line), row: row) }
    let row = inside.height - 1
    let next = inside.write(button("Cancel", isSelected: !isConfirmSelected, key: "n"), row: row)
    inside.write(button(confirmLabel, isSelected: isConfirmSelected, key: "y"), row: row, column: next + 2)
  }

  private func button(_ label: String, isSelected: Bool, key: String) -> StyledText {
    StyledText(isSelected ? "[›\(label)‹]" : "[ \(label) ]", isSelected ? .reversed : .plain)
      + StyledText(" " + key, .dim)
  }
}
