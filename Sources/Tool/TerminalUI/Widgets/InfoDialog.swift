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
  ///
  /// - Parameters:
  ///   - title: The title in the frame.
  ///   - rows: The rows, from the top.
  public init(_ title: String, _ rows: [Row]) {
    self.title = title
    self.rows = rows
  }

  /// Creates a dialog that lists the keys of a screen, enabled or not.
  ///
  /// - Parameters:
  ///   - title: The title in the frame.
  ///   - bindings: The bindings of the screen. Those without keys are left out.
  ///   - rows: Rows above them, for instance for the keys of a list.
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

  /// Draws the dialog over everything else. Texts that are too long for the screen are wrapped.
  ///
  /// - Parameters:
  ///   - canvas: The complete screen.
  ///   - selected: The index of the highlighted row; `nil` for none.
  @MainActor public func draw(in canvas: Canvas, selected: Int? = nil) {
    let names = rows.map { row in StyledText(row.name).width }.max() ?? 0
    let limit = max(Self.leastTextColumns, canvas.width - 6 - names)
    let texts = rows.map { row in
      StyledText(row.text).width <= limit ? [row.text] : TextWrapping.lines(row.text, columns: limit)
    }
    let textColumns = texts.joined().map { line in StyledText(line).width }.max() ?? 0
    let width = max(names + 2 + textColumns, StyledText(title).width + 2) + 4
    let frame = canvas.centred(width: width, height: texts.reduce(2) { height, lines in height + max(1, lines.count) })
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
