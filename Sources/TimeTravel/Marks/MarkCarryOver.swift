public import ActionLog
import EventSourcing
import JSONCoding

/// What became of the marks of a log of which was saved what is good.
public struct MarkCarryOver: Sendable {
  /// A mark whose action has another number in the new log.
  public struct Move: Sendable, Hashable {
    /// The mark in the new log.
    public var mark: Mark
    /// The revision that it named.
    public var oldRevision: Int
  }

  /// The marks that name the same revision in both logs.
  public internal(set) var kept: [Mark] = []
  /// Those whose action stands elsewhere.
  public internal(set) var moved: [Move] = []
  /// Those whose action is not in the new log.
  public internal(set) var lost: [Mark] = []
  /// The lines of the old file that are no marks, and were left behind.
  public internal(set) var flaws: [MarkList.Flaw] = []

  /// What becomes of no marks.
  public init() {}
}

extension MarkStore {
  /// Takes the marks over into a log that `LogSalvage` made of this one: those of intact actions as they are, those of joined ones
  /// with the number that the action has there.
  ///
  /// - Parameters:
  ///   - target: The marks of the new log, which has none yet.
  ///   - report: What was salvaged.
  /// - Returns: What became of each mark.
  /// - Throws: `LogError` when the marks cannot be read, or cannot be written: then the new log has none, and is good all the same.
  /// - Complexity: O(length of the marks), and that of reading the joined actions where a mark lies behind the intact ones.
  public func carryOver(to target: MarkStore, salvaged report: SalvageReport) throws -> MarkCarryOver {
    let list = try read()
    var result = MarkCarryOver()
    result.flaws = list.flaws
    let needsNumbers = report.joinedCount > 0 && list.marks.contains { mark in mark.revision > report.intactSeq }
    let numbers = try needsNumbers ? target.numbersOfJoined(behind: report.intactSeq) : [:]
    for mark in list.marks {
      if mark.revision <= report.intactSeq {
        result.kept.append(mark)
      } else if let number = numbers[mark.revision] {
        let moved = try Mark(mark.name, at: number, remark: mark.remark, time: mark.time)
        result.moved.append(.init(mark: moved, oldRevision: mark.revision))
      } else {
        result.lost.append(mark)
      }
    }
    try target.add(result.kept + result.moved.map(\.mark))
    return result
  }

  /// The numbers of the actions behind a revision, by those that they say they had.
  private func numbersOfJoined(behind last: Int) throws -> [Int: Int] {
    var numbers: [Int: Int] = [:]
    var records = try LogReader.open(log, fileSystem: fileSystem).records(from: last + 1)
    while let record = try records.next() {
      guard !record.isControl, case .number(let number)? = try RecordMeta(of: record).other["was"], let old = number.int
      else { continue }
      numbers[old] = record.seq
    }
    return numbers
  }
}
