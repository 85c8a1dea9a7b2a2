import TextDisplay

/// A line of text that is edited where it stands.
///
/// Keys: characters and pasted text, Backspace, Del, ←, →, Home, End; Ctrl-A and Ctrl-E as Home and End, Ctrl-U deletes to
/// the start, Ctrl-K to the end, Ctrl-W the word before the cursor.
public struct TextField: Hashable, Sendable {
  /// More than anybody means to type into one line; what is pasted beyond it is cut off.
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
  /// How many characters are before the cursor.
  private var cursor: Int

  /// Makes a field.
  ///
  /// - Parameter text: What it holds at first; the cursor stands at its end.
  public init(_ text: String = "") {
    characters = Array(Self.cleaned(text).prefix(Self.lengthLimit))
    cursor = characters.count
  }

  /// Whether nothing is typed.
  public var isEmpty: Bool { characters.isEmpty }

  /// Edits the text.
  ///
  /// - Parameter key: The key.
  /// - Returns: Whether the key is one of those that edit.
  /// - Complexity: O(length of the text).
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

  /// Moves the cursor, for instance to a character that is wrong.
  ///
  /// - Parameter offset: How many characters stand before it; of more than there are, all.
  public mutating func moveCursor(to offset: Int) {
    cursor = min(max(0, offset), characters.count)
  }

  /// Draws the label, then the text; when it is too long, the part around the cursor.
  ///
  /// - Parameters:
  ///   - canvas: Where it is drawn, in the first row.
  ///   - label: What stands before it.
  ///   - placeholder: What stands there while it is empty.
  ///   - isFocused: Whether keys go to this field: then the cursor is shown.
  /// - Returns: The column of the canvas in which the cursor is.
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
    // One column is kept for the cursor behind the last character.
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
    // What is inserted can join with what is there: an accent with the letter before it.
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

  /// A field has one line: ends of lines become spaces, other control characters go.
  private static func cleaned(_ text: String) -> String {
    String(
      text.compactMap { character -> Character? in
        if character.isNewline || character == "\t" { return " " }
        return TerminalText.escaping(String(character)) == String(character) ? character : nil
      })
  }
}
