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

  /// Draws the label and the values side by side, the chosen one in brackets.
  ///
  /// - Parameters:
  ///   - canvas: Where it is drawn, in the first row.
  ///   - label: What stands before it.
  ///   - isFocused: Whether keys go to this field.
  @MainActor public func draw(in canvas: Canvas, label: String = "", isFocused: Bool = true) {
    var text: StyledText = label.isEmpty ? "" : StyledText(label + ": ", isFocused ? .bold : .plain)
    for (index, choice) in choices.enumerated() {
      let isChosen = index == selectedIndex
      let style: CellStyle = isChosen ? (isFocused ? .reversed : .bold) : .plain
      text += StyledText(isChosen ? "[\(choice)]" : " \(choice) ", style)
    }
    canvas.write(text, row: 0)
  }
}
