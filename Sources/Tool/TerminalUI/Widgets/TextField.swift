/// A single-line text field.
///
/// Characters and pasted text are inserted at the cursor. Backspace, Del, ←, →, Home and End work as usual; Ctrl-A and
/// Ctrl-E move to the start and the end. Ctrl-U deletes to the start, Ctrl-K to the end, and Ctrl-W the word before
/// the cursor.
public struct TextField: Hashable, Sendable {
  /// The longest text, in characters. Longer pasted text is truncated.
  private static let lengthLimit = 10_000

  /// The text. Setting it moves the cursor to its end.
  public var text: String {
    get { String(characters) }
    set {
      characters = Array(Self.cleaned(newValue).prefix(Self.lengthLimit))
      cursor = characters.count
    }
  }

  private var characters: [Character]
  private var cursor: Int

  /// Creates a field with the cursor at the end of its text.
  public init(_ text: String = "") {
    characters = Array(Self.cleaned(text).prefix(Self.lengthLimit))
    cursor = characters.count
  }

  /// Whether the text is empty.
  public var isEmpty: Bool { characters.isEmpty }

  /// Edits the text.
  ///
  /// - Returns: Whether the key is an editing key.
  public mutating func handle(_ key: Key) -> Bool {
    switch key {
    case .character(let character): insert(String(character))
    case .paste(let text): insert(text)
    case .backspace: delete(max(0, cursor - 1)..<cursor)
    case .delete: delete(cursor..<min(characters.count, cursor + 1))
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(characters.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = characters.count
    case .control("u"): delete(0..<cursor)
    case .control("k"): delete(cursor..<characters.count)
    case .control("w"): delete(wordStart..<cursor)
    default: return false
    }
    return true
  }

  /// Moves the cursor, for instance to an invalid character.
  public mutating func moveCursor(to offset: Int) {
    cursor = min(max(0, offset), characters.count)
  }

  /// Draws the label and the text in one row. Of a text that is too long, the part around the cursor is shown.
  ///
  /// - Returns: The cursor's column on the canvas.
  @discardableResult
  @MainActor public func draw(
    in canvas: Canvas, label: String = "", placeholder: String = "", isFocused: Bool = true
  ) -> Int {
    var start = 0
    if !label.isEmpty {
      start = canvas.write(StyledText(label + ": ", isFocused ? .bold : .plain), row: 0)
    }
    let field = canvas.part(column: start, height: 1)
    guard field.width > 0 else { return start }
    if characters.isEmpty, !placeholder.isEmpty { field.write(StyledText(placeholder, .dim), row: 0) }
    // One column is reserved for the cursor after the last character.
    var first = 0
    var before = width(0..<cursor)
    while before > field.width - 1, first < cursor {
      before -= width(first..<first + 1)
      first += 1
    }
    field.write(StyledText(String(characters[first...])), row: 0, style: isFocused ? .underlined : .plain)
    if isFocused { field.placeCursor(row: 0, column: before) }
    return start + before
  }

  private func width(_ range: Range<Int>) -> Int {
    characters[range].reduce(0) { width, character in width + TextWidth.of(TerminalText.escaping(String(character))) }
  }

  private mutating func insert(_ text: String) {
    // Inserted text can combine with the character before it, such as an accent with a letter.
    let before = Array((String(characters[..<cursor]) + Self.cleaned(text)).prefix(Self.lengthLimit))
    let rest = characters[cursor...]
    guard before.count + rest.count <= Self.lengthLimit else { return }
    characters = before + rest
    cursor = before.count
  }

  private mutating func delete(_ range: Range<Int>) {
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  private var wordStart: Int {
    var start = cursor
    while start > 0, characters[start - 1] == " " { start -= 1 }
    while start > 0, characters[start - 1] != " " { start -= 1 }
    return start
  }

  /// The text on one line: newlines and tabs become spaces, other control characters are removed.
  private static func cleaned(_ text: String) -> String {
    String(
      text.compactMap { character -> Character? in
        if character.isNewline || character == "\t" { return " " }
        return TerminalText.escaping(String(character)) == String(character) ? character : nil
      })
  }
}
