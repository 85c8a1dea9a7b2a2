/// One place of the screen: a character and how it stands out.
public struct ScreenCell: Hashable, Sendable {
  /// What is shown. In the second column of a wide character it is a space that is not sent.
  public internal(set) var character: Character
  /// How it stands out.
  public internal(set) var style: CellStyle
  /// How many columns it takes: 1 or 2, and 0 for the second column of a wide character.
  public internal(set) var width: Int

  /// A place where nothing is.
  public static let blank = ScreenCell(character: " ", style: .plain, width: 1)
}
