/// A reversed row at the edge of a screen: what it is about at the left, how it is doing at the right.
public struct StatusLine: Hashable, Sendable {
  /// What stands at the left.
  public var leading: StyledText
  /// What stands at the right; it gives way where there is no room.
  public var trailing: StyledText

  /// Makes a line.
  ///
  /// - Parameters:
  ///   - leading: What stands at the left.
  ///   - trailing: What stands at the right; it gives way where there is no room.
  public init(_ leading: StyledText, trailing: StyledText = "") {
    self.leading = leading
    self.trailing = trailing
  }

  /// Draws the line.
  ///
  /// - Parameter canvas: Where it is drawn, in the first row.
  @MainActor public func draw(in canvas: Canvas) {
    let row = canvas.part(height: 1)
    row.fill(.reversed)
    row.write(leading, row: 0, style: .reversed)
    if leading.width + 2 + trailing.width <= row.width { row.writeTrailing(trailing, row: 0, style: .reversed) }
  }
}
