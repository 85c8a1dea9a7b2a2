import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Dispatch
import Platform

/// Damages a log in every possible way of two kinds, with and without `HEAD`: flips each bit, and truncates it to each
/// length.
package struct ExhaustiveDamage: Sendable {
  /// The minimum length of the log.
  package var sizeBytes: Int
  /// The distance between tried bits and lengths; odd, so that all bits of a byte are tried.
  package var stride: Int
  /// The engine's simulated mistake, in controls.
  var mistake: OpeningJudge.Mistake?

  /// Creates the trial.
  package init(sizeBytes: Int, stride: Int = 1) {
    self.sizeBytes = sizeBytes
    self.stride = stride
  }

  /// Creates a control: a trial with an engine that makes a mistake.
  ///
  /// - Parameter mistake: The mistake when a log is opened; `nil` for truncating without quarantine.
  package init(sizeBytes: Int, stride: Int, mistake: RecoveryMistake?) {
    self.init(sizeBytes: sizeBytes, stride: stride)
    self.mistake = mistake.map { mistake in .recovery(mistake) } ?? .keepsNothing
  }

  /// The length of the tried end of a log whose writer was killed. Only there does it differ from a closed log.
  private static let endBytes = 4_096

  /// The length of `HEAD`.
  private static let headBytes = 128

  /// Flips every bit of the segment; `verify` must find each flip.
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
      "every bit flipped, verified", wanted: "all found; a torn tail where no damage is proven",
      figure: "\(flips.count) flips of at least \(sizeBytes / 1_024) KiB, \(flips.flaws.count) missed",
      isMet: flips.count > 0, flaws: Array(flips.flaws.prefix(20)))
  }

  /// Flips every bit of the segment and of `HEAD`, and opens each result with a reader and a writer.
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
      "every bit flipped, opened", wanted: "refused where damage is proven, else truncated and quarantined",
      figure: "\(flips.count) flips, \(flips.flaws.count) wrong", isMet: flips.count > 0,
      flaws: Array(flips.flaws.prefix(20)))
  }

  /// Truncates the log to every length. It must open with all complete actions, unless `HEAD` shows that there were
  /// more.
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
      "every length", wanted: "opens with the complete actions; refused where HEAD shows more",
      figure: "\(lengths.count) lengths, \(lengths.flaws.count) wrong", isMet: lengths.count > 0,
      flaws: Array(lengths.flaws.prefix(20)))
  }
}

extension ExhaustiveDamage {
  private static let kinds = DamagedLog.End.allCases.flatMap { end in [(end, true), (end, false)] }

  /// The number of tries and the flaws.
  private struct Outcome: Sendable {
    var count = 0
    var flaws: [String] = []

    mutating func add(_ other: Outcome) {
      count += other.count
      flaws += other.flaws
    }
  }

  /// Returns the offsets to try for a kind of log.
  private func bytes(of log: DamagedLog, _ end: DamagedLog.End) -> Range<Int> {
    (end == .closed ? 0 : max(0, log.bytes.count - Self.endBytes))..<log.bytes.count
  }

  private func bits(of log: DamagedLog, _ end: DamagedLog.End) -> Range<Int> {
    let bytes = bytes(of: log, end)
    return bytes.lowerBound * 8..<bytes.upperBound * 8
  }

  /// Tries every offset, on two threads with one disk each.
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
      let report = try LogVerifier.verify(at: SimulatedLog.path, fileSystem: disk)
      let wanted = expected.isDamage ? LogReport.Verdict.damaged : .torn
      return report.verdict == wanted ? nil : "\(report.verdict.rawValue), not \(wanted.rawValue)"
    } catch {
      // The damaged header is not recognized as a header.
      return error.code == .unsupportedFormat && expected.goodBytes == 0 ? nil : "\(error)"
    }
  }

  /// Checks an intact log with a damaged `HEAD`: it must open with all actions or be refused.
  private static func flawOfHead(_ disk: MemoryFileSystem, _ log: DamagedLog) -> String? {
    do throws(LogError) {
      let writer = try SimulatedLog(disk, segmentLimitBytes: 1 << 30).open(schema: 1)
      writer.abandon()
      let found = writer.opening.lastRevision
      return found == log.actions.count ? nil : "a bit of HEAD: it opens with \(found) actions"
    } catch {
      return error.code == .damaged ? nil : "a bit of HEAD: \(error)"
    }
  }
}

/// A log of one segment whose lines are known, so that the correct result is known for every flipped bit.
struct DamagedLog: Sendable {
  /// The end of the last writer.
  enum End: String, Sendable, CaseIterable {
    /// It was closed; the last line is a control record.
    case closed
    /// The process was killed; the last lines are actions that were not synced.
    case killed
  }

  static let path = SimulatedLog.path + "/0000000000000001.jsonl"
  static let headPath = SimulatedLog.path + "/HEAD"

  /// The disk with the log.
  let disk: MemoryFileSystem
  /// The bytes of the segment.
  let bytes: [UInt8]
  /// The end offsets of its lines, including the line feeds.
  let ends: [Int]
  /// The number of actions before each line and before the end of the file.
  let actionCounts: [Int]
  /// The data of the actions.
  let actions: [[UInt8]]
  /// The number of bytes that `HEAD` records as durable; 0 without `HEAD`.
  let headBytes: Int

  /// Creates a log of at least `sizeBytes` bytes.
  ///
  /// - Parameter hasHead: Whether `HEAD` is up to date or missing.
  init(sizeBytes: Int, end: End, hasHead: Bool) throws(LogError) {
    let disk = MemoryFileSystem()
    do throws(FileSystemError) {
      try Self.write(disk, sizeBytes: sizeBytes, end: end)
      if !hasHead { try disk.remove(Self.headPath) }
      bytes = try disk.contents(of: Self.path)
      headBytes = hasHead ? LogHead(parsing: try disk.contents(of: Self.headPath))?.bytes ?? 0 : 0
    } catch {
      throw LogError(.inputOutput, "the log cannot be created", underlying: error)
    }
    guard !hasHead || headBytes > 0 else { throw LogError(.failed, "no writer has written HEAD", path: Self.headPath) }
    self.disk = disk
    ends = bytes.indices.filter { [bytes] index in bytes[index] == UInt8(ascii: "\n") }.map { index in index + 1 }
    var records = try LogReader.open(at: SimulatedLog.path, fileSystem: disk).records()
    var counts: [Int] = []
    var actions: [[UInt8]] = []
    while let record = try records.next() {
      counts.append(actions.count)
      if !record.isControl { actions.append(Array(record.dataBytes)) }
    }
    actionCounts = counts + [actions.count]
    self.actions = actions
  }

  private static func write(_ disk: MemoryFileSystem, sizeBytes: Int, end: End) throws(FileSystemError) {
    do throws(LogError) {
      let log = SimulatedLog(disk, segmentLimitBytes: 1 << 30)
      var writer = try log.open(schema: 1)
      var number = 0
      var batch = 0
      while case let size = try size(disk), size < sizeBytes {
        batch += 1
        let drafts = (number + 1...number + 1 + batch % 3).map { number in
          LogDraft.numbered(number, attempt: number, fill: number % 7 * 40)
        }
        number += drafts.count
        // Some lines are not synced, so that later lines do not record them as durable.
        if batch % 4 == 3 { _ = try writer.writeNow(drafts) } else { try writer.appendNow(drafts) }
        // Switch to another writer.
        if batch % 20 == 19 {
          try writer.closeNow()
          writer = try log.open(schema: 1)
        }
      }
      if end == .closed { return try writer.closeNow() }
      _ = try writer.writeNow([1, 2, 3].map { next in .numbered(number + next, attempt: number + next, fill: 0) })
      writer.abandon()
    } catch {
      throw FileSystemError(code: .inputOutput, operation: "\(error)", path: path)
    }
  }

  private static func size(_ disk: MemoryFileSystem) throws(LogError) -> Int {
    do throws(FileSystemError) { return try disk.status(of: path)?.sizeBytes ?? 0 } catch {
      throw LogError(.inputOutput, "the log cannot be created", underlying: error)
    }
  }
}

extension DamagedLog {
  /// The expected result of opening a damaged log.
  struct Expectation {
    /// Whether the files show that the damaged part was durable, so the log must be refused.
    var isDamage: Bool
    /// The end offset of the intact lines.
    var goodBytes: Int
    /// The number of actions in these lines.
    var actionCount: Int
  }

  /// Returns the expected result if a byte is changed: damage, unless it is in the last line and beyond `HEAD`.
  func expectation(forByte offset: Int) -> Expectation {
    // Find the first line that ends after the byte.
    var (low, high) = (0, ends.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > offset { high = middle } else { low = middle + 1 }
    }
    let start = low == 0 ? 0 : ends[low - 1]
    return Expectation(
      isDamage: low == 0 || low < ends.count - 1 || headBytes > start, goodBytes: start, actionCount: actionCounts[low])
  }

  /// Returns the expected result if the file is truncated: damage if its first line is missing or `HEAD` shows more.
  func expectation(forLength length: Int) -> Expectation {
    let whole = ends.count { end in end <= length }
    let goodBytes = whole == 0 ? 0 : ends[whole - 1]
    return Expectation(
      isDamage: whole == 0 || headBytes > goodBytes, goodBytes: goodBytes, actionCount: actionCounts[whole])
  }
}
