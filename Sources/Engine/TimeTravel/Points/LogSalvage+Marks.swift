public import ActionLog

/// What was saved of a damaged log, and what became of its marks.
public struct MarkedSalvage: Sendable {
  /// What was found and written of the records.
  public let report: SalvageReport
  /// What became of each mark.
  public let marks: MarkCarryOver
  /// Why the marks of the old log cannot be read; the new log has none then.
  public let marksError: LogError?
}

extension LogSalvage {
  /// Saves what is good of a damaged log in a new one, its marks included. The old log is not changed.
  ///
  /// The new log appears at its path with its marks, or not at all. Marks that cannot be read keep nobody from saving the actions:
  /// then there is a new log without marks, and the error is part of what is returned.
  ///
  /// - Parameters:
  ///   - path: The old log's directory.
  ///   - target: A path at which nothing lies, or an empty directory; not within the old log.
  ///   - join: Whether to put the actions from beyond gaps behind the intact ones all the same, with new numbers. Marks of them get
  ///     the number that their action has there.
  ///   - model: The name of the model, for a log of which no segment has a good first line.
  ///   - fileSystem: The door to the disk.
  ///   - environment: Clock and identifier of the new log.
  /// - Throws: `LogError` as `LogSalvage.salvage(_:to:join:model:fileSystem:environment:)`, also when the marks cannot be written.
  /// - Complexity: O(length of the log + number of marks × log(number of gaps)); memory O(longest line + length of the
  ///   marks).
  public static func salvageWithMarks(
    _ path: String,
    to target: String,
    join: Bool = false,
    model: String? = nil,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    environment: LogEnvironment = .live
  ) throws(LogError) -> MarkedSalvage {
    var marks = MarkCarryOver()
    var marksError: LogError?
    var old = MarkList()
    // Before the actions: a mark that is made meanwhile, of an action that is recorded meanwhile, is none that loses its action.
    do throws(LogError) { old = try MarkStore(log: path, fileSystem: fileSystem).read() } catch { marksError = error }
    let report = try salvage(
      path, to: target, join: join, model: model, fileSystem: fileSystem, environment: environment
    ) { (directory, report) throws(LogError) in
      guard marksError == nil else { return }
      marks = MarkCarryOver(old, salvaged: report)
      do throws(LogError) {
        try MarkStore(log: directory, fileSystem: fileSystem).add(marks.all)
      } catch {
        throw LogError(
          error.code, "the marks cannot be taken over, so that there is no new log: \(error.message)", path: target,
          underlying: error.underlying)
      }
    }
    return MarkedSalvage(report: report, marks: marks, marksError: marksError)
  }
}

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
