/// Names side by side of which one is selected: for screens that have several panes in one place.
public struct TabBar: Hashable, Sendable {
  /// The names.
  public var titles: [String]
  /// The place of the selected one.
  public var selectedIndex: Int

  /// Makes a bar.
  ///
  /// - Parameters:
  ///   - titles: The names.
  ///   - selectedIndex: The place of the selected one.
  public init(_ titles: [String], selectedIndex: Int = 0) {
    self.titles = titles
    self.selectedIndex = selectedIndex
  }

  /// Selects with Tab and Shift-Tab, around the ends, and by the number.
  ///
  /// - Parameter key: The key.
  /// - Returns: Whether the key selects.
  public mutating func handle(_ key: Key) -> Bool {
    guard !titles.isEmpty else { return false }
    switch key {
    case .tab: selectedIndex = (selectedIndex + 1) % titles.count
    case .backTab: selectedIndex = (selectedIndex + titles.count - 1) % titles.count
    case .character(let character):
      guard let number = character.wholeNumberValue, titles.indices.contains(number - 1) else { return false }
      selectedIndex = number - 1
    default: return false
    }
    return true
  }

  /// Draws the names in one row, the selected one in brackets.
  ///
  /// - Parameter canvas: Where they are drawn, in the first row.
  @MainActor public func draw(in canvas: Canvas) {
    var text: StyledText = ""
    for (index, title) in titles.enumerated() {
      text += index == selectedIndex ? StyledText("[\(title)]", .reversed) : StyledText(" \(title) ")
    }
    canvas.write(text, row: 0)
  }
}
