/// The marks of a log, and what was found beside them.
public struct MarkList: Sendable {
  /// A line that is no mark.
  public struct Flaw: Hashable, Sendable {
    /// The line, counted from 1.
    public let line: Int
    /// What is wrong with it.
    public let message: String
  }

  /// The marks, by their revisions, of one revision in the order in which they were made.
  public internal(set) var marks: [Mark]
  /// The lines that cannot be read: cut by a crash, or changed. They are passed over.
  public internal(set) var flaws: [Flaw] = []

  /// Makes a list of marks, in the order in which they are given.
  public init(_ marks: [Mark] = []) { self.marks = marks }

  /// The mark with a name.
  ///
  /// - Complexity: O(number of marks).
  public subscript(name: String) -> Mark? { marks.first { mark in mark.name == name } }

  /// The marks of a revision.
  ///
  /// - Complexity: O(number of marks).
  public func marks(at revision: Int) -> [Mark] { marks.filter { mark in mark.revision == revision } }
}
