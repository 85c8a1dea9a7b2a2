/// How much of a state is shown. What is left out is counted, never hidden.
public struct RenderingLimits: Hashable, Sendable {
  /// Members or elements that are shown of each container; `nil` for all.
  public var entries: Int?
  /// Levels of containers that are shown, the outermost being 1; `nil` for all.
  public var depth: Int?
  /// Characters that are shown of each string; `nil` for all. Of the rest the characters are counted, or the bytes if it is long.
  public var characters: Int?

  /// Makes limits from their parts.
  ///
  /// - Precondition: No limit is negative.
  public init(entries: Int? = nil, depth: Int? = nil, characters: Int? = nil) {
    precondition([entries, depth, characters].allSatisfy { limit in limit ?? 0 >= 0 }, "a limit is not negative")
    self.entries = entries
    self.depth = depth
    self.characters = characters
  }

  /// Everything is shown, and the result is JSON that reads back as the state.
  public static let none = RenderingLimits()

  /// All entries, and 10 000 characters of each string: more of one value is for a program.
  public static let page = RenderingLimits(characters: 10_000)

  /// What a person can take in at once: 100 entries of each container, 400 characters of each string.
  public static let brief = RenderingLimits(entries: 100, characters: 400)
}
