package import ActionLog

/// Checks a log in the way of the programs that start after a failure.
package struct LogJudge: Sendable {
  /// The contents that the log must have.
  package var level: Knowledge.Level
  /// The length at which the judge's own writer rolls.
  package var segmentLimitBytes: Int

  /// Creates a judge for a level.
  package init(level: Knowledge.Level, segmentLimitBytes: Int) {
    self.level = level
    self.segmentLimitBytes = segmentLimitBytes
  }

  /// Returns the flaw; `nil` if there is none.
  ///
  /// A reader reads the log, then a writer recovers it and appends, then everything is verified. All results must
  /// match.
  ///
  /// - Parameters:
  ///   - disk: The disk after the failure. It is changed.
  ///   - knowledge: The acknowledgements of the program.
  ///   - door: The recovering writer's access to the disk, for failures during recovery.
  package func flaw(
    _ disk: MemoryFileSystem, _ knowledge: Knowledge, through door: (any LogFileSystem)? = nil
  ) -> Flaw? {
    do throws(LogError) {
      var log = SimulatedLog(door ?? disk, segmentLimitBytes: segmentLimitBytes)
      let writer = try log.open(schema: 1_000)
      defer { writer.abandon() }
      log.door = disk
      let found = try log.actions()
      guard found.count == writer.opening.lastSeq else {
        return .unverified("the writer found \(writer.opening.lastSeq) actions, a reader \(found.count)")
      }
      if let flaw = knowledge.flaw(in: found, atLeast: level) { return flaw }
      let next = Knowledge.Found(number: found.count + 1, attempt: 0)
      try writer.commit([.numbered(next.number, attempt: next.attempt, fill: 0)])
      try writer.closeNow()
      guard try log.actions() == found + [next] else {
        return .unverified("the action appended after the recovery does not follow the records that were found")
      }
      let report = try LogVerifier.verify(SimulatedLog.path, fileSystem: disk)
      return report.verdict == .clean ? nil : .unverified("\(report.problems)")
    } catch {
      return .refused(error)
    }
  }

  /// Returns the flaw that a reader finds without changing the log.
  ///
  /// - Returns: `nil` if the log holds a prefix of the recorded actions, whether or not it is reported as damaged.
  package func prefixFlaw(_ disk: MemoryFileSystem, _ knowledge: Knowledge) -> Flaw? {
    var found: [Knowledge.Found] = []
    do throws(LogError) {
      var records = try LogReader.open(SimulatedLog.path, fileSystem: disk).records()
      while let record = try records.next() {
        if !record.isControl { found.append(Knowledge.Found(record)) }
      }
    } catch {
      guard error.code == .damaged || error.code == .notALog || error.code == .notFound else {
        return .failed("\(error)")
      }
    }
    return knowledge.flaw(in: found, atLeast: .nothing)
  }
}
