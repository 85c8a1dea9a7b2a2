import ActionLog

/// What became of the marks of a log of which was saved what is good.
public struct MarkCarryOver: Sendable {
  /// A mark whose action has another number in the new log.
  public struct Move: Sendable, Hashable {
    /// The mark in the new log.
    public let mark: Mark
    /// The revision that it named.
    public let oldRevision: Int
  }

  /// The marks that name the same revision in both logs.
  public private(set) var kept: [Mark] = []
  /// Those whose action stands elsewhere.
  public private(set) var moved: [Move] = []
  /// Those whose action is not in the new log.
  public private(set) var lost: [Mark] = []
  /// The lines of the old file that are no marks, and were left behind.
  public private(set) var flaws: [MarkList.Flaw] = []

  /// What becomes of no marks.
  init() {}

  /// What becomes of the marks of a log: those of intact actions stay as they are, those of joined ones get the number that the
  /// action has in the new log.
  ///
  /// - Complexity: O(number of marks × log(number of gaps)).
  init(_ list: MarkList, salvaged report: SalvageReport) {
    flaws = list.flaws
    for mark in list.marks {
      switch report.revision(ofOld: mark.revision) {
      case mark.revision?: kept.append(mark)
      case let revision?: moved.append(Move(mark: Mark(mark, at: revision), oldRevision: mark.revision))
      case nil: lost.append(mark)
      }
    }
  }

  /// The marks of the new log.
  var all: [Mark] { kept + moved.map(\.mark) }
}
