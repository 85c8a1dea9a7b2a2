import ActionLog

/// A log on a real disk, looked at after a process or a machine has ended.
enum MachineLog {
  /// Opens a log as the next program does, and checks what is in it.
  ///
  /// - Parameters:
  ///   - acknowledged: The last action that somebody was told is there.
  ///   - schema: That of the next program.
  /// - Returns: How far it goes, whether a tail was cut, and what is wrong.
  static func look(
    _ path: String, atLeast acknowledged: Int, schema: Int = 1
  ) -> (lastSeq: Int, wasTorn: Bool, flaw: Flaw?) {
    do throws(LogError) {
      let writer = try LogWriter.open(path, model: SimulatedLog.model, schema: schema)
      let last = writer.opening.lastSeq
      let wasTorn = writer.opening.recovered != nil
      writer.abandon()
      if last < acknowledged { return (last, wasTorn, .lost(found: last, acknowledged: acknowledged)) }
      var records = try LogReader.open(path).records()
      var number = 0
      while let record = try records.next() {
        guard !record.isControl else { continue }
        number += 1
        let found = Knowledge.Found(record).number
        if found != number { return (last, wasTorn, .wrongAction(number, "it is number \(found)")) }
      }
      if number != last { return (last, wasTorn, .unverified("a reader finds \(number) of \(last) actions")) }
      let report = try LogVerifier.verify(path)
      return (last, wasTorn, report.verdict == .clean ? nil : .unverified("\(report.problems)"))
    } catch {
      // A log of which nothing was acknowledged may not be there yet.
      if acknowledged == 0, error.code == .notFound || error.code == .notALog { return (0, false, nil) }
      return (0, false, .refused(error))
    }
  }
}
