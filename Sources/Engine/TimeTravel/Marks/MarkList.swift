/// The marks of a log, and what was found beside them.
public struct MarkList: Sendable {
  /// A line that is no mark, and those directly behind it that are none, either.
  public struct Flaw: Hashable, Sendable {
    /// The line, counted from 1.
    public let line: Int
    /// How many lines: 1, and those behind it.
    public internal(set) var lineCount = 1
    /// What is wrong with the first of them.
    public internal(set) var message: String

    init(line: Int, message: String) {
      self.line = line
      self.message = message
    }
  }

  /// The marks, by their revisions, of one revision in the order in which they were made.
  public internal(set) var marks: [Mark]
  /// The lines that cannot be read: cut by a crash, or changed. They are passed over.
  public internal(set) var flaws: [Flaw] = []

  /// Makes a list of marks, in the order in which they are given.
  public init(_ marks: [Mark] = []) { self.marks = marks }

  /// How many lines cannot be read.
  ///
  /// - Complexity: O(number of flaws).
  public var flawedLineCount: Int { flaws.reduce(0) { sum, flaw in sum + flaw.lineCount } }

  /// Takes a line that is no mark.
  mutating func note(_ message: String, ofLine line: Int) {
    // A file of line feeds would have as many flaws as bytes.
    if let last = flaws.last, last.line + last.lineCount == line {
      flaws[flaws.count - 1].lineCount += 1
    } else {
      flaws.append(Flaw(line: line, message: message))
    }
  }

  /// The mark with a name.
  ///
  /// - Complexity: O(number of marks).
  public subscript(name: String) -> Mark? { marks.first { mark in mark.name == name } }

  /// The marks of a revision.
  ///
  /// - Complexity: O(number of marks).
  public func marks(at revision: Int) -> [Mark] { marks.filter { mark in mark.revision == revision } }
}
