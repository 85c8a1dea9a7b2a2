/// One of a few values, changed with ← and → or by its first letter.
public struct ChoiceField: Hashable, Sendable {
  /// The values, as they are shown.
  public let choices: [String]
  /// The place of the chosen one; `nil` when nothing is chosen yet.
  public var selectedIndex: Int?

  /// Makes a field.
  ///
  /// - Parameters:
  ///   - choices: The values, as they are shown.
  ///   - selectedIndex: The place of the chosen one; `nil` when nothing is chosen yet.
  public init(_ choices: [String], selectedIndex: Int? = nil) {
    self.choices = choices
    self.selectedIndex = selectedIndex.flatMap { index in choices.indices.contains(index) ? index : nil }
  }

  /// The chosen value.
  public var choice: String? { selectedIndex.map { index in choices[index] } }

  /// Chooses: ← and → step, Space goes on around, a letter goes to the next value that begins with it.
  ///
  /// - Parameter key: The key.
  /// - Returns: Whether the key chooses.
  public mutating func handle(_ key: Key) -> Bool {
    guard !choices.isEmpty else { return false }
    switch key {
    case .left: selectedIndex = max(0, (selectedIndex ?? choices.count) - 1)
    case .right: selectedIndex = min(choices.count - 1, (selectedIndex ?? -1) + 1)
    case .character(" "): selectedIndex = ((selectedIndex ?? -1) + 1) % choices.count
    case .character(let letter): return choose(letter)
    default: return false
    }
    return true
  }

  private mutating func choose(_ letter: Character) -> Bool {
    let start = (selectedIndex ?? -1) + 1
    for step in choices.indices {
      let index = (start + step) % choices.count
      if choices[index].lowercased().first == letter.lowercased().first {
        selectedIndex = index
        return true
      }
    }
    return false
  }

  /// Draws the label and the values side by side, the chosen one in brackets. Where there is no room for all, those around
  /// the chosen one are shown, and `‹` and `›` tell that there are more.
  ///
  /// - Parameters:
  ///   - canvas: Where it is drawn, in the first row.
  ///   - label: What stands before it.
  ///   - isFocused: Whether keys go to this field.
  @MainActor public func draw(in canvas: Canvas, label: String = "", isFocused: Bool = true) {
    let start = label.isEmpty ? 0 : canvas.write(StyledText(label + ": ", isFocused ? .bold : .plain), row: 0)
    let values = choices.enumerated().map { index, choice in
      let isChosen = index == selectedIndex
      let style: CellStyle = isChosen ? (isFocused ? .reversed : .bold) : .plain
      return StyledText(isChosen ? "[\(choice)]" : " \(choice) ", style)
    }
    let shown = shownValues(of: values.map(\.width), columns: canvas.width - start)
    var column = start
    if shown.lowerBound > 0 { column = canvas.write(StyledText("‹", .dim), row: 0, column: column) }
    for value in values[shown] { column = canvas.write(value, row: 0, column: column) }
    if shown.upperBound < values.count { canvas.write(StyledText("›", .dim), row: 0, column: column) }
  }

  /// The values that fit beside each other, the chosen one among them, with room for the marks where some do not.
  private func shownValues(of widths: [Int], columns: Int) -> Range<Int> {
    guard widths.reduce(0, +) > columns else { return widths.indices }
    let last = selectedIndex ?? 0
    var first = last
    var room = columns - 2 - widths[last]
    while first > 0, widths[first - 1] <= room {
      first -= 1
      room -= widths[first]
    }
    var end = last + 1
    while end < widths.count, widths[end] <= room {
      room -= widths[end]
      end += 1
    }
    return first..<end
  }
}
