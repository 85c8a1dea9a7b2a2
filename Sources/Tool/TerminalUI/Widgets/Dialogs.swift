/// A confirmation dialog in the middle of the screen, for operations that cannot be undone.
///
/// Cancel is preselected. Pass every key to the dialog while it is open.
///
/// ```swift
/// if let answer = dialog?.handle(key) {
///   dialog = nil
///   if answer == .confirmed { delete() }
/// }
/// ```
public struct ConfirmDialog: Hashable, Sendable {
  /// The user's decision.
  public enum Answer: Hashable, Sendable {
    /// The user confirmed the operation.
    case confirmed
    /// The user canceled the operation.
    case cancelled
  }

  /// The question.
  public let title: String
  /// The consequences.
  public let message: String
  /// The title of the confirmation button, for instance `Delete`.
  public let confirmLabel: String
  private var isConfirmSelected = false
  private var showsKeys = false

  /// Creates a dialog.
  public init(_ title: String, message: String = "", confirmLabel: String) {
    self.title = title
    self.message = message
    self.confirmLabel = confirmLabel
  }

  /// Handles a key: `y` confirms, `n` and Esc cancel, the arrows and Tab move the selection, Enter takes it, `?` shows the keys
  /// until the next key.
  ///
  /// - Returns: The decision; `nil` while the dialog stays open.
  public mutating func handle(_ key: Key) -> Answer? {
    if showsKeys {
      showsKeys = false
      return nil
    }
    switch key {
    case "?": showsKeys = true
    case .left, .right, .tab, .backTab: isConfirmSelected.toggle()
    case .enter: return isConfirmSelected ? .confirmed : .cancelled
    case .character("y"), .character("Y"): return .confirmed
    case .character("n"), .character("N"), .escape: return .cancelled
    default: break
    }
    return nil
  }

  /// Key bindings to show in the help line while a dialog is open.
  public static var help: [KeyBinding<Void>] {
    [
      KeyBinding("y", "yes", ()), KeyBinding("n", "no", ()), KeyBinding([.tab], "the other", ()),
      KeyBinding([.enter], "choose", ()), KeyBinding([.escape], "cancel", ()),
    ]
  }

  /// Draws the dialog over the screen.
  @MainActor public func draw(in canvas: Canvas) {
    let width = min(60, canvas.width)
    let lines = TextWrapping.lines(message, columns: max(1, width - 4)).filter { line in !line.isEmpty || message != ""
    }
    let frame = canvas.centered(width: width, height: lines.count + (lines.isEmpty ? 3 : 4))
    frame.fill()
    let inside = frame.box(StyledText(title, .bold)).part(column: 1)
    for (row, line) in lines.enumerated() { inside.write(StyledText(line), row: row) }
    let row = inside.height - 1
    let next = inside.write(button("Cancel", isSelected: !isConfirmSelected, key: "n"), row: row)
    inside.write(button(confirmLabel, isSelected: isConfirmSelected, key: "y"), row: row, column: next + 2)
    if showsKeys { InfoDialog("Keys", keysOf: Self.help).draw(in: canvas) }
  }

  private func button(_ label: String, isSelected: Bool, key: String) -> StyledText {
    StyledText(isSelected ? "[›\(label)‹]" : "[ \(label) ]", isSelected ? .reversed : .plain)
      + StyledText(" " + key, .dim)
  }
}

/// A frame in the middle of the screen with rows of a name and a text: the keys of a screen, the details of an item.
///
/// ```swift
/// if showsHelp { InfoDialog("Keys", keysOf: bindings).draw(in: canvas) }
/// ```
public struct InfoDialog: Hashable, Sendable {
  /// A row of the dialog.
  public struct Row: Hashable, Sendable {
    /// The name, shown in bold.
    public var name: String
    /// The text next to it.
    public var text: String

    /// Creates a row.
    public init(_ name: String, _ text: String) {
      self.name = name
      self.text = text
    }
  }

  /// The title in the frame.
  public var title: String
  /// The rows, from the top.
  public var rows: [Row]

  /// Creates a dialog.
  public init(_ title: String, _ rows: [Row]) {
    self.title = title
    self.rows = rows
  }

  /// Creates a dialog that lists the keys of a screen, enabled or not, below other rows. Bindings without keys are left out.
  public init<Command>(_ title: String, keysOf bindings: [KeyBinding<Command>], below rows: [Row] = []) {
    self.init(
      title,
      rows
        + bindings.filter { binding in !binding.keys.isEmpty }.map { binding in
          Row(binding.keys.map { key in "\(key)" }.joined(separator: " "), binding.label)
        })
  }

  /// The narrowest column of texts before lines are cut instead of wrapped.
  private static let leastTextColumns = 8

  /// Draws the dialog over everything else, with a highlighted row. Texts that are too long for the screen are wrapped.
  @MainActor public func draw(in canvas: Canvas, selected: Int? = nil) {
    let names = rows.map { row in StyledText(row.name).width }.max() ?? 0
    let limit = max(Self.leastTextColumns, canvas.width - 6 - names)
    let texts = rows.map { row in
      StyledText(row.text).width <= limit ? [row.text] : TextWrapping.lines(row.text, columns: limit)
    }
    let textColumns = texts.joined().map { line in StyledText(line).width }.max() ?? 0
    let width = max(names + 2 + textColumns, StyledText(title).width + 2) + 4
    let frame = canvas.centered(width: width, height: texts.reduce(2) { height, lines in height + max(1, lines.count) })
    frame.fill()
    let inside = frame.box(StyledText(title, .bold)).part(column: 1)
    var line = 0
    for (number, (row, lines)) in zip(rows, texts).enumerated() {
      inside.write(StyledText(row.name, .bold), row: line)
      for text in lines.isEmpty ? [""] : lines {
        inside.write(StyledText(text), row: line, column: names + 2)
        if number == selected { inside.highlight(row: line, style: .reversed) }
        line += 1
      }
    }
  }
}
