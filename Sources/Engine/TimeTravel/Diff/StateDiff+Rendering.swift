import JSONCoding

extension StateDiff {
  /// Writes the differences for people, grouped by the place that they lie in.
  ///
  /// ```
  /// /animals/data
  ///   + Cat: {"name": "Cat"}
  ///   - Eel: {"name": "Eel"}
  /// /animals/data/Dog
  ///   ~ name: "Dog" → "Doggo"
  /// ```
  ///
  /// A heading is a pointer, which can be used as it is. `+` is only in the new state, `-` only in the old one, `~` has
  /// another value. What is too long for a line stands on several, each with its mark. Elements are named by their
  /// index in the new array, removed ones by that in the old; where the two differ both are given.
  ///
  /// - Parameters:
  ///   - limits: How much of each value is shown; what is left out is counted.
  ///   - style: The colours.
  /// - Returns: Lines that each end with a line feed; nothing if the states are equal.
  /// - Complexity: O(length of the result).
  public func rendered(limits: RenderingLimits = .none, style: TextStyle = .plain) -> String {
    guard let edit else { return "" }
    var renderer = StateEditRenderer(limits: limits, style: style)
    renderer.append(edit, old: .root, new: .root)
    return renderer.lines.map { line in line + "\n" }.joined()
  }
}
