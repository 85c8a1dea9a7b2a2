package import ActionLog

/// Looks at a log as the programs find it that start after a failure.
package struct LogJudge: Sendable {
  /// What must be in the log.
  package var level: Knowledge.Level
  /// The length from which the judge's own writer rolls.
  package var segmentLimitBytes: Int

  /// A judge who asks for a level.
  package init(level: Knowledge.Level, segmentLimitBytes: Int) {
    self.level = level
    self.segmentLimitBytes = segmentLimitBytes
  }

  /// What is wrong; `nil` when nothing is.
  ///
  /// A reader looks first, then a writer recovers the log and appends to it, then everything is verified. All must agree.
  ///
  /// - Parameters:
  ///   - disk: What the failure has left. It is changed.
  ///   - knowledge: What the program had been told.
  ///   - door: The way that the recovering writer takes to the disk, for failures during recovery.
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
        return .unverified("what was appended after the recovery does not stand behind what was found")
      }
      let report = try LogVerifier.verify(SimulatedLog.path, fileSystem: disk)
      return report.verdict == .clean ? nil : .unverified("\(report.problems)")
    } catch {
      return .refused(error)
    }
  }

  /// What is wrong with the log as a reader finds it who changes nothing.
  ///
  /// - Returns: `nil` when it holds the beginning of what was recorded, whether or not it says that it is damaged.
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
