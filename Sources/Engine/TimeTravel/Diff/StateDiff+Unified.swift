import TextDisplay

extension StateDiff {
  /// Writes the differences as `diff -u` does, over the lines of the two states as ``StateTree/rendered(limits:style:)``
  /// writes them. `patch` and `git apply` take it.
  ///
  /// - Parameters:
  ///   - oldName: What the old state is called in the header.
  ///   - newName: What the new state is called in the header.
  ///   - context: Equal lines that are shown before and after each difference.
  /// - Returns: Lines that each end with a line feed; nothing if the states are equal.
  /// - Precondition: `context` is not negative.
  /// - Complexity: O(size), and that of aligning the lines.
  public func unified(oldName: String = "old", newName: String = "new", context: Int = 3) -> String {
    precondition(context >= 0, "a context is not negative")
    guard !isEmpty else { return "" }
    let renderer = JSONRenderer()
    let text = UnifiedText(old: renderer.lines(old.root), new: renderer.lines(new.root), context: context)
    return text.rendered(oldName: TerminalText.escaping(oldName), newName: TerminalText.escaping(newName))
  }
}
