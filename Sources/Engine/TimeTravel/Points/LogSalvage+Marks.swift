package import ActionLog
package import ActionLogMaintenance

/// The report on a salvaged log and its marks.
package struct MarkedSalvage: Sendable {
  package let report: SalvageReport
  package let marks: MarkCarryOver
  /// The reason why the marks of the old log cannot be read. Then the new log has no marks.
  package let marksError: LogError?
}

extension LogSalvage {
  /// Salvages a damaged log into a new one, with its marks. The old log does not change.
  ///
  /// The new log appears at its path with its marks, or not at all. Unreadable marks do not prevent saving the actions: the
  /// new log has no marks then, and the result contains the error.
  package static func salvageWithMarks(
    at path: String,
    to target: String,
    model: String? = nil,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    environment: LogEnvironment = .live
  ) throws(LogError) -> MarkedSalvage {
    var marks = MarkCarryOver()
    var marksError: LogError?
    var old = MarkList()
    // The marks are read before the actions, so that a concurrent mark of a concurrent action does not seem lost.
    do throws(LogError) { old = try MarkStore(at: path, fileSystem: fileSystem).read() } catch { marksError = error }
    let report = try salvage(
      at: path, to: target, model: model, fileSystem: fileSystem, environment: environment
    ) { (directory, report) throws(LogError) in
      guard marksError == nil else { return }
      marks = MarkCarryOver(old, salvaged: report)
      do throws(LogError) {
        try MarkStore(at: directory, fileSystem: fileSystem).add(marks.kept)
      } catch {
        throw LogError(
          error.code, "the marks cannot be copied, so there is no new log: \(error.message)", path: target,
          underlying: error.underlying)
      }
    }
    return MarkedSalvage(report: report, marks: marks, marksError: marksError)
  }
}

/// The marks of a damaged log in a salvaged one.
package struct MarkCarryOver: Sendable {
  /// The marks of actions in both logs.
  package private(set) var kept: [Mark] = []
  /// The marks whose action is not in the new log.
  package private(set) var lost: [Mark] = []
  /// The lines of the old file that are not marks. They are not copied.
  package private(set) var flaws: [MarkList.Flaw] = []

  init() {}

  /// Carries over the marks of a log: those of intact actions, and of the state that a pruned log begins with.
  init(_ list: MarkList, salvaged report: SalvageReport) {
    flaws = list.flaws
    for mark in list.marks {
      if report.revisions.contains(mark.revision) { kept.append(mark) } else { lost.append(mark) }
    }
  }
}
