public import ActionLog
import TextDisplay

/// A point of a history that people gave a name.
///
/// A mark is kept beside the records, in the log's `marks.jsonl`; see ``MarkStore``. Its name can be written wherever a point is
/// asked for.
public struct Mark: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The revision that it names.
  public let revision: Int
  /// What was said of it, if anything.
  public let remark: String?
  /// When it was made.
  public let time: LogTime

  /// A name is to be typed and to stand in a table.
  public static let nameLimitBytes = 256
  /// A remark is a note, not a document.
  public static let remarkLimitBytes = 16_384

  /// Makes a mark.
  ///
  /// - Parameters:
  ///   - name: What the point is called: 1 to ``nameLimitBytes`` bytes that mean no other point, so not `42`, `end` or `5m ago`. It
  ///     holds no `=`, which command lines need, does not begin with `-`, and has single spaces only within it.
  ///   - revision: The revision, 0 or more.
  ///   - remark: What is to be said of it: at most ``remarkLimitBytes`` bytes.
  ///   - time: When it is made.
  /// - Throws: ``TimeTravelError/Code/invalidMark``, which says which rule is broken.
  public init(
    _ name: String, at revision: Int, remark: String? = nil, time: LogTime
  ) throws(TimeTravelError) {
    try Self.check(name)
    guard revision >= 0 else { throw TimeTravelError(.invalidMark, "there is no revision \(revision)") }
    if let remark, remark.utf8.count > Self.remarkLimitBytes {
      throw TimeTravelError(
        .invalidMark, "the remark has \(remark.utf8.count) bytes, more than \(Self.remarkLimitBytes)")
    }
    self.name = name
    self.revision = revision
    self.remark = remark
    self.time = time
  }

  /// The same mark at another revision, 0 or more.
  init(_ other: Mark, at revision: Int) {
    precondition(revision >= 0, "no revision is negative")
    name = other.name
    self.revision = revision
    remark = other.remark
    time = other.time
  }

  private static func check(_ name: String) throws(TimeTravelError) {
    func refusal(_ reason: String) -> TimeTravelError {
      TimeTravelError(.invalidMark, "\(TerminalText.quoting(name)) cannot be the name of a mark: \(reason)")
    }
    guard !name.isEmpty else { throw TimeTravelError(.invalidMark, "the name of the mark is empty") }
    guard name.utf8.count <= nameLimitBytes else {
      throw TimeTravelError(
        .invalidMark, "the name of the mark has \(name.utf8.count) bytes, more than \(nameLimitBytes)")
    }
    guard name == TerminalText.escaping(name) else {
      throw refusal("it holds characters that a terminal would obey, such as tabs and ends of lines")
    }
    guard name == HistoryPoint.collapsed(name) else {
      throw refusal("spaces stand within a name, one at a time")
    }
    guard !name.hasPrefix("-"), !name.contains("=") else {
      throw refusal("it begins with '-' or holds '=', which command lines read otherwise")
    }
    let isPoint: Bool
    do throws(TimeTravelError) { isPoint = try HistoryPoint.form(name, now: .earliest) != nil } catch {
      throw refusal("it is like another point (\(error.message))")
    }
    if isPoint { throw refusal("it means another point already") }
  }
}
