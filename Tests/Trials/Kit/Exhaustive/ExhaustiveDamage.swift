import ActionLog
import Dispatch
import Platform

/// Every bit of a log turned over, and every length that it can be cut to, with `HEAD` and without.
package struct ExhaustiveDamage: Sendable {
  /// How long the log is, at least.
  package var sizeBytes: Int
  /// Every how manieth bit and length is tried; odd, so that each bit of a byte has its turn.
  package var stride: Int
  /// What the engine does wrong, in the runs that must be caught.
  var mistake: OpeningJudge.Mistake?

  /// Makes the trial.
  package init(sizeBytes: Int, stride: Int = 1) {
    self.sizeBytes = sizeBytes
    self.stride = stride
  }

  /// Makes one with an engine that does something wrong, which must be caught.
  ///
  /// - Parameter mistake: What it does when it opens a log; `nil` for cutting without keeping what was cut.
  package init(sizeBytes: Int, stride: Int, mistake: RecoveryMistake?) {
    self.init(sizeBytes: sizeBytes, stride: stride)
    self.mistake = mistake.map { mistake in .recovery(mistake) } ?? .keepsNothing
  }

  /// The last bytes of a log whose writer was killed: that is where it differs from one that was closed.
  private static let endBytes = 4_096

  /// `HEAD` has 128 bytes.
  private static let headBytes = 128

  /// Turns over every bit of the segment in turn; `verify` must find each.
  package func flipBits() throws -> Goal {
    var flips = Outcome()
    for (end, hasHead) in Self.kinds {
      let log = try DamagedLog(sizeBytes: sizeBytes, end: end, hasHead: hasHead)
      flips.add(
        tryAll(bits(of: log, end), log) { bit, disk in
          try disk.flipBit(bit % 8, ofByte: bit / 8, in: DamagedLog.path)
          defer { Self.flipBack(bit, disk) }
          return try Self.verifyingFlaw(disk, log.expectation(forByte: bit / 8))
        })
    }
    return Goal(
      "every bit flipped, verified", wanted: "all found, a torn tail where nothing shows more",
      figure: "\(flips.count) flips of at least \(sizeBytes / 1_024) KiB, \(flips.flaws.count) missed",
      isMet: flips.count > 0, flaws: Array(flips.flaws.prefix(20)))
  }

  /// Turns over every bit of the segment, and of `HEAD`, and lets a reader and a writer open what that makes.
  package func openFlipped() throws -> Goal {
    var flips = Outcome()
    for (end, hasHead) in Self.kinds {
      let log = try DamagedLog(sizeBytes: sizeBytes, end: end, hasHead: hasHead)
      let judge = OpeningJudge(log: log, mistake: mistake)
      flips.add(
        tryAll(bits(of: log, end), log) { bit, disk in
          let own = disk.copy()
          try own.flipBit(bit % 8, ofByte: bit / 8, in: DamagedLog.path)
          return judge.flaw(own, log.expectation(forByte: bit / 8))
        })
      guard hasHead else { continue }
      flips.add(
        tryAll(0..<Self.headBytes * 8, log) { bit, disk in
          let own = disk.copy()
          try own.flipBit(bit % 8, ofByte: bit / 8, in: DamagedLog.headPath)
          return Self.flawOfHead(own, log)
        })
    }
    return Goal(
      "every bit flipped, opened", wanted: "refused where something shows more, else cut and kept",
      figure: "\(flips.count) flips, \(flips.flaws.count) wrong", isMet: flips.count > 0,
      flaws: Array(flips.flaws.prefix(20)))
  }

  /// Cuts the log to every length: it must open with the actions that are whole, unless `HEAD` knows of more.
  package func cutEverywhere() throws -> Goal {
    var lengths = Outcome()
    for (end, hasHead) in Self.kinds {
      let log = try DamagedLog(sizeBytes: sizeBytes, end: end, hasHead: hasHead)
      let judge = OpeningJudge(log: log, mistake: mistake)
      let bytes = bytes(of: log, end)
      lengths.add(
        tryAll(bytes.lowerBound..<bytes.upperBound + 1, log) { length, disk in
          let own = disk.copy()
          try own.setContents(Array(log.bytes.prefix(length)), of: DamagedLog.path)
          return judge.flaw(own, log.expectation(forLength: length))
        })
    }
    return Goal(
      "every length", wanted: "opens with what is whole, refused where HEAD shows more",
      figure: "\(lengths.count) lengths, \(lengths.flaws.count) wrong", isMet: lengths.count > 0,
      flaws: Array(lengths.flaws.prefix(20)))
  }
}

extension ExhaustiveDamage {
  private static let kinds = DamagedLog.End.allCases.flatMap { end in [(end, true), (end, false)] }

  /// What was tried, and what was wrong.
  private struct Outcome: Sendable {
    var count = 0
    var flaws: [String] = []

    mutating func add(_ other: Outcome) {
      count += other.count
      flaws += other.flaws
    }
  }

  /// The places that a kind of log is tried at.
  private func bytes(of log: DamagedLog, _ end: DamagedLog.End) -> Range<Int> {
    (end == .closed ? 0 : max(0, log.bytes.count - Self.endBytes))..<log.bytes.count
  }

  private func bits(of log: DamagedLog, _ end: DamagedLog.End) -> Range<Int> {
    let bytes = bytes(of: log, end)
    return bytes.lowerBound * 8..<bytes.upperBound * 8
  }

  /// Tries every place, on two threads with a disk each.
  private func tryAll(
    _ places: Range<Int>, _ log: DamagedLog, _ body: @Sendable (Int, MemoryFileSystem) throws -> String?
  ) -> Outcome {
    let outcome = Locked(Outcome(count: (places.count + stride - 1) / stride))
    let workers = 2
    let step = stride * workers
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      let own = log.disk.copy()
      for place in Swift.stride(from: places.lowerBound + worker * stride, to: places.upperBound, by: step) {
        var flaw: String?
        do { flaw = try body(place, own) } catch { flaw = "\(error)" }
        if let flaw {
          let head = log.headBytes > 0 ? "with HEAD" : "without HEAD"
          outcome.withLock { outcome in outcome.flaws.append("place \(place) of \(places), \(head): \(flaw)") }
        }
      }
    }
    return outcome.withLock { outcome in outcome }
  }

  private static func flipBack(_ bit: Int, _ disk: MemoryFileSystem) {
    do throws(FileSystemError) { try disk.flipBit(bit % 8, ofByte: bit / 8, in: DamagedLog.path) } catch {
      preconditionFailure("it was turned over before: \(error)")
    }
  }

  private static func verifyingFlaw(_ disk: MemoryFileSystem, _ expected: DamagedLog.Expectation) throws -> String? {
    do throws(LogError) {
      let report = try LogVerifier.verify(SimulatedLog.path, fileSystem: disk)
      let wanted = expected.isDamage ? LogReport.Verdict.damaged : .torn
      return report.verdict == wanted ? nil : "\(report.verdict.rawValue), not \(wanted.rawValue)"
    } catch {
      // A header that is no longer one of ours.
      return error.code == .unsupportedFormat && expected.goodBytes == 0 ? nil : "\(error)"
    }
  }

  /// The log is whole: whatever `HEAD` says, it opens with everything or is refused.
  private static func flawOfHead(_ disk: MemoryFileSystem, _ log: DamagedLog) -> String? {
    do throws(LogError) {
      let writer = try SimulatedLog(disk, segmentLimitBytes: 1 << 30).open(schema: 1)
      writer.abandon()
      let found = writer.opening.lastSeq
      return found == log.actions.count ? nil : "a bit of HEAD: it opens with \(found) actions"
    } catch {
      return error.code == .damaged ? nil : "a bit of HEAD: \(error)"
    }
  }
}
