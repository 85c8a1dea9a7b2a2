/// What is to be known of a long history in which a value goes wrong once: `demo --bug` makes its log, and says what to ask it.
public struct BugStory: Sendable {
  /// What the bug is called in the names of files that are made on the way, for instance `Platypus`.
  public var title: String
  /// What somebody saw, in a sentence or two.
  public var complaint: String
  /// The JSON Pointer of the value that goes wrong.
  public var pointer: String
  /// A condition that holds from the bug on.
  public var wrong: String
  /// The condition that should hold instead.
  public var right: String
  /// The revision at which the value goes wrong.
  public var revision: Int
  /// What a mark calls that revision.
  public var mark: String
  /// The name of the model without the bug, which the tool has as well.
  public var mended: String

  /// Makes a story from its parts.
  ///
  /// - Parameters:
  ///   - title: What the bug is called in the names of files.
  ///   - complaint: What somebody saw, in a sentence or two.
  ///   - pointer: The JSON Pointer of the value that goes wrong.
  ///   - wrong: A condition that holds from the bug on.
  ///   - right: The condition that should hold instead.
  ///   - revision: The revision at which the value goes wrong.
  ///   - mark: What a mark calls that revision.
  ///   - mended: The name of the model without the bug.
  public init(
    title: String, complaint: String, pointer: String, wrong: String, right: String, revision: Int, mark: String,
    mended: String
  ) {
    self.title = title
    self.complaint = complaint
    self.pointer = pointer
    self.wrong = wrong
    self.right = right
    self.revision = revision
    self.mark = mark
    self.mended = mended
  }

  /// The placeholder of the revision that is to be found.
  static let answer = "REVISION"
  /// The placeholder of the revision at which the page begins that is made last.
  static let lead = "EARLIER"

  /// The command lines that find the bug in a log, in their order, without the name of the tool and without the answer.
  func commands(log: String) -> [[String]] {
    [
      ["bisect", log, wrong],
      ["blame", log, pointer],
      ["mark", log, Self.answer, mark],
      ["minimise", log, wrong, "--at", mark],
      ["test", log, "start", mark, "--minimise", wrong, "--expect", right, "--output", "\(title)Tests.swift"],
      ["what-if", log, "--with", mended, "--to", mark],
      ["report", log, Self.lead, mark, "--output", "\(title.lowercased()).html"],
    ]
  }
}
