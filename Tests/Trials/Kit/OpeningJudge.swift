import ActionLog
import ActionLogMaintenance
import ActionLogTesting

/// Checks the opening of a damaged log: proven damage is refused and left unchanged, a possible torn tail is truncated
/// and quarantined, and the actions read are always a prefix of the recorded ones.
struct OpeningJudge: Sendable {
  let log: DamagedLog
  /// The engine's simulated mistake, in controls.
  var mistake: Mistake?

  /// A mistake of an engine.
  enum Mistake: Sendable {
    /// A mistake during recovery.
    case recovery(RecoveryMistake)
    /// It truncates without quarantine.
    case keepsNothing
  }

  /// Opens a damaged log and returns the first flaw; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - disk: A disk with the damaged log, which the opening may change.
  ///   - expected: The expected result.
  func flaw(_ disk: MemoryFileSystem, _ expected: DamagedLog.Expectation) -> String? {
    do {
      let damaged = try disk.contents(of: DamagedLog.path)
      if case .recovery(let mistake) = mistake { try mistake.make(on: disk) }
      if let flaw = try readingFlaw(disk, expected) { return "a reader: " + flaw }
      let writer: LogWriter
      do throws(LogError) {
        writer = try SimulatedLog(disk, segmentLimitBytes: 1 << 30).open(schema: 1)
      } catch {
        return try refusalFlaw(error, disk, expected, damaged)
      }
      defer { writer.abandon() }
      return try openingFlaw(writer, disk, expected, damaged)
    } catch {
      return "\(error)"
    }
  }

  /// Checks a reader, which changes nothing.
  private func readingFlaw(_ disk: MemoryFileSystem, _ expected: DamagedLog.Expectation) throws -> String? {
    var count = 0
    var end: LogError?
    do throws(LogError) {
      var records = try LogReader.open(at: SimulatedLog.path, fileSystem: disk).records()
      while let record = try records.next() {
        guard !record.isControl else { continue }
        guard count < log.actions.count, record.dataBytes.elementsEqual(log.actions[count]) else {
          return "action \(count + 1) differs"
        }
        count += 1
      }
    } catch {
      end = error
    }
    if count != expected.actionCount { return "it finds \(count) actions instead of \(expected.actionCount)" }
    guard expected.isDamage else { return end.map { error in "a torn tail is refused: \(error)" } }
    guard let end else { return "damage is treated as the end" }
    return isRefusal(end) ? nil : "\(end)"
  }

  private func refusalFlaw(
    _ error: LogError, _ disk: MemoryFileSystem, _ expected: DamagedLog.Expectation, _ damaged: [UInt8]
  ) throws -> String? {
    if !expected.isDamage { return "a torn tail is refused: \(error)" }
    if !isRefusal(error) { return "\(error)" }
    if try disk.contents(of: DamagedLog.path) != damaged { return "a refused log was changed" }
    return nil
  }

  /// Whether an error refuses a damaged header, which can also be of a future format.
  private func isRefusal(_ error: LogError) -> Bool {
    error.code == .damaged || error.code == .notALog || error.code == .unsupportedFormat
  }

  private func openingFlaw(
    _ writer: LogWriter, _ disk: MemoryFileSystem, _ expected: DamagedLog.Expectation, _ damaged: [UInt8]
  ) throws -> String? {
    let found = writer.opening.lastRevision
    if expected.isDamage { return "it opens with \(found) actions, although more is known to have been durable" }
    if found != expected.actionCount { return "it opens with \(found) actions, not \(expected.actionCount)" }
    if case .keepsNothing = mistake {
      for path in disk.filePaths where path.hasSuffix(".torn") { try disk.setContents([], of: path) }
    }
    let cut = Array(damaged[expected.goodBytes...])
    let kept = try disk.filePaths.filter { path in path.hasSuffix(".torn") }.map { path in try disk.contents(of: path) }
    guard kept == (cut.isEmpty ? [] : [cut]) else { return "the truncated bytes are not in the quarantine" }
    guard writer.opening.recovered?.bytes ?? 0 == cut.count else { return "the truncation is not reported" }
    let next = LogDraft.numbered(found + 1, attempt: 0, fill: 0)
    try writer.appendNow([next])
    try writer.closeNow()
    let numbers = try SimulatedLog(disk, segmentLimitBytes: 1 << 30).actions().map(\.number)
    guard numbers == Array(1...found + 1) else { return "the appended action does not follow the found ones" }
    let report = try LogVerifier.verify(at: SimulatedLog.path, fileSystem: disk)
    return report.verdict == .clean ? nil : "after the recovery it does not verify: \(report.problems)"
  }
}
