import ActionLog

/// Checks the result of opening a damaged log: provable damage is refused and left unchanged, a possible torn tail is
/// truncated and kept, and the records read are always a prefix of those recorded.
struct OpeningJudge: Sendable {
  let log: DamagedLog
  /// A planted mistake of the engine, in the runs that must fail.
  var mistake: Mistake?

  /// A planted mistake.
  enum Mistake: Sendable {
    /// A ``RecoveryMistake``.
    case recovery(RecoveryMistake)
    /// Truncates without keeping the bytes.
    case keepsNothing
  }

  /// Returns the flaw; `nil` if there is none.
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

  /// Reads without changing anything.
  private func readingFlaw(_ disk: MemoryFileSystem, _ expected: DamagedLog.Expectation) throws -> String? {
    var count = 0
    var end: LogError?
    do throws(LogError) {
      var records = try LogReader.open(SimulatedLog.path, fileSystem: disk).records()
      while let record = try records.next() {
        guard !record.isControl else { continue }
        guard count < log.actions.count, record.dataBytes.elementsEqual(log.actions[count]) else {
          return "action \(count + 1) is another one"
        }
        count += 1
      }
    } catch {
      end = error
    }
    if count != expected.actionCount { return "it finds \(count) actions, not \(expected.actionCount)" }
    guard expected.isDamage else { return end.map { error in "a torn tail is refused: \(error)" } }
    guard let end else { return "damage is taken for an end" }
    return isRefusal(end) ? nil : "\(end)"
  }

  private func refusalFlaw(
    _ error: LogError, _ disk: MemoryFileSystem, _ expected: DamagedLog.Expectation, _ damaged: [UInt8]
  ) throws -> String? {
    if !expected.isDamage { return "a torn tail is refused: \(error)" }
    if !isRefusal(error) { return "\(error)" }
    if try disk.contents(of: DamagedLog.path) != damaged { return "a log that was refused is another one" }
    return nil
  }

  /// A header that fails its check can be one of a later format.
  private func isRefusal(_ error: LogError) -> Bool {
    error.code == .damaged || error.code == .notALog || error.code == .unsupportedFormat
  }

  private func openingFlaw(
    _ writer: LogWriter, _ disk: MemoryFileSystem, _ expected: DamagedLog.Expectation, _ damaged: [UInt8]
  ) throws -> String? {
    let found = writer.opening.lastSeq
    if expected.isDamage { return "it opens with \(found) actions, although more is known to have been durable" }
    if found != expected.actionCount { return "it opens with \(found) actions, not \(expected.actionCount)" }
    if case .keepsNothing = mistake {
      for path in disk.filePaths where path.hasSuffix(".torn") { try disk.setContents([], of: path) }
    }
    let cut = Array(damaged[expected.goodBytes...])
    let kept = try disk.filePaths.filter { path in path.hasSuffix(".torn") }.map { path in try disk.contents(of: path) }
    guard kept == (cut.isEmpty ? [] : [cut]) else { return "what was cut is not in the quarantine" }
    guard writer.opening.recovered?.bytes ?? 0 == cut.count else { return "what was cut is not said" }
    let next = LogDraft.numbered(found + 1, attempt: 0, fill: 0)
    try writer.commit([next])
    try writer.closeNow()
    let numbers = try SimulatedLog(disk, segmentLimitBytes: 1 << 30).actions().map(\.number)
    guard numbers == Array(1...found + 1) else { return "the appended action does not follow those that were found" }
    let report = try LogVerifier.verify(SimulatedLog.path, fileSystem: disk)
    return report.verdict == .clean ? nil : "after the recovery it does not verify: \(report.problems)"
  }
}
