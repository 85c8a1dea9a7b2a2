extension StateTree {
  /// Writes the state for people: indented by two spaces, one member or element a line, members sorted.
  ///
  /// Characters that a terminal would obey are escaped. Without limits and colours the text is JSON that reads back as
  /// the state.
  ///
  /// - Parameters:
  ///   - limits: How much is shown; what is left out is counted.
  ///   - style: The colours.
  /// - Returns: Lines that each end with a line feed.
  /// - Complexity: O(length of the result), whatever the size of the state.
  public func rendered(limits: RenderingLimits = .none, style: TextStyle = .plain) -> String {
    var text = ""
    for line in JSONRenderer(limits: limits, style: style).lines(root) {
      text += line
      text += "\n"
    }
    return text
  }
}
