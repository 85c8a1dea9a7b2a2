import ActionLog

/// A log on a real disk, looked at after a process or a machine has ended.
enum MachineLog {
  /// Opens a log as the next program does, and checks what is in it.
  ///
  /// - Returns: How far it goes, whether a tail was cut, and what is wrong.
  static func look(_ path: String, atLeast acknowledged: Int) -> (lastSeq: Int, wasTorn: Bool, flaw: String?) {
    do throws(LogError) {
      let writer = try LogWriter.open(path, model: SimulatedLog.model, schema: 1)
      let last = writer.opening.lastSeq
      let wasTorn = writer.opening.recovered != nil
      writer.abandon()
      if last < acknowledged { return (last, wasTorn, "lost: it ends at \(last), \(acknowledged) were acknowledged") }
      var records = try LogReader.open(path).records()
      var number = 0
      while let record = try records.next() {
        guard !record.isControl else { continue }
        number += 1
        if Knowledge.Found(record).number != number { return (last, wasTorn, "action \(number) is another one") }
      }
      return (last, wasTorn, number == last ? nil : "a reader finds \(number) of \(last) actions")
    } catch {
      // A log of which nothing was acknowledged may not be there yet.
      if acknowledged == 0, error.code == .notFound || error.code == .notALog { return (0, false, nil) }
      return (0, false, "\(error)")
    }
  }
}
