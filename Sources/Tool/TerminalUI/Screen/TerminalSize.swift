/// How many columns and rows of characters fit on a screen.
public struct TerminalSize: Hashable, Sendable {
  /// The number of columns, 1…2 000.
  public let columns: Int
  /// The number of rows, 1…1 000.
  public let rows: Int

  /// What a terminal that does not tell its size is taken for.
  public static let usual = TerminalSize(columns: 80, rows: 24)

  /// Far above every screen, so that a terminal which claims to be huge cannot make the program run out of memory.
  private static let columnLimit = 2_000
  private static let rowLimit = 1_000

  /// Makes a size.
  ///
  /// - Parameters:
  ///   - columns: The number of columns; what is outside 1…2 000 becomes the nearest number inside.
  ///   - rows: The number of rows; what is outside 1…1 000 becomes the nearest number inside.
  public init(columns: Int, rows: Int) {
    self.columns = min(max(1, columns), Self.columnLimit)
    self.rows = min(max(1, rows), Self.rowLimit)
  }
}
