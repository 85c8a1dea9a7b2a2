/// A reversed row at the edge of a screen: what it is about at the left, how it is doing at the right.
public struct StatusLine: Hashable, Sendable {
  /// What stands at the left; it is cut where there is no room for both.
  public var leading: StyledText
  /// What stands at the right; where the row is too short for more than that, it is left out.
  public var trailing: StyledText

  /// With less than this, and two spaces, a cut text at the left says nothing any more.
  private static let shortestLeading = 12

  /// Makes a line.
  ///
  /// - Parameters:
  ///   - leading: What stands at the left; it is cut where there is no room for both.
  ///   - trailing: What stands at the right; where the row is too short for more than that, it is left out.
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
    let trailingWidth = trailing.width
    guard trailingWidth > 0, trailingWidth + Self.shortestLeading <= row.width else {
      row.write(leading, row: 0, style: .reversed)
      return
    }
    row.part(width: row.width - trailingWidth - 2).write(leading, row: 0, style: .reversed)
    row.writeTrailing(trailing, row: 0, style: .reversed)
  }
}
