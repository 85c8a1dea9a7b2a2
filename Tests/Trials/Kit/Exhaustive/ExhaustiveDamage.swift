import ActionLog
import Dispatch
import Locking

/// Every bit of a log turned over, and every length that it can be cut to.
package struct ExhaustiveDamage: Sendable {
  /// How long the log is.
  package var sizeBytes: Int

  /// Makes the trial.
  package init(sizeBytes: Int) { self.sizeBytes = sizeBytes }

  /// A log of one segment of about the length, with its `HEAD`.
  private func makeLog() throws(LogError) -> (disk: MemoryFileSystem, path: String) {
    let disk = MemoryFileSystem()
    let log = SimulatedLog(disk, segmentLimitBytes: 1 << 30)
    let writer = try log.open(schema: 1)
    var number = 0
    var used = 0
    while used < sizeBytes {
      number += 1
      let fill = number % 7 * 40
      try writer.commit([.numbered(number, attempt: number, fill: fill)])
      used += 180 + fill
    }
    try writer.closeNow()
    return (disk, SimulatedLog.path + "/0000000000000001.jsonl")
  }

  /// Turns over every bit of the segment in turn; `verify` must find each.
  ///
  /// - Parameter stride: Every how manieth bit.
  package func flipBits(stride: Int = 1) throws -> Goal {
    let (disk, path) = try makeLog()
    let bits = try disk.contents(of: path).count * 8
    let flaws = Locked<[String]>([])
    let count = (bits + stride - 1) / stride
    // Copies of their own, because each is changed in place.
    let workers = 2
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      let own = disk.copy()
      for index in Swift.stride(from: worker, to: count, by: workers) {
        let bit = index * stride
        if let flaw = Self.flawAfterFlip(bit, own, path) { flaws.withLock { flaws in flaws.append(flaw) } }
      }
    }
    let found = flaws.withLock { flaws in flaws }
    return Goal(
      "every bit flipped", wanted: "all found", figure: "\(count) flips, \(found.count) missed", isMet: count > 0,
      flaws: Array(found.prefix(20)))
  }

  private static func flawAfterFlip(_ bit: Int, _ disk: MemoryFileSystem, _ path: String) -> String? {
    do {
      try disk.flipBit(bit % 8, ofByte: bit / 8, in: path)
      let report = try LogVerifier.verify(SimulatedLog.path, fileSystem: disk)
      try disk.flipBit(bit % 8, ofByte: bit / 8, in: path)
      return report.verdict == .damaged ? nil : "bit \(bit % 8) of byte \(bit / 8): \(report.verdict.rawValue)"
    } catch let error as LogError {
      do { try disk.flipBit(bit % 8, ofByte: bit / 8, in: path) } catch { return "\(error)" }
      // A header that is no longer one of ours.
      return error.code == .unsupportedFormat ? nil : "bit \(bit % 8) of byte \(bit / 8): \(error)"
    } catch {
      return "\(error)"
    }
  }

  /// Cuts the log to every length, without `HEAD`: each must open with the actions that are whole.
  package func cutEverywhere(stride: Int = 1) throws -> Goal {
    let (disk, path) = try makeLog()
    let bytes = try disk.contents(of: path)
    let ends = bytes.indices.filter { index in bytes[index] == UInt8(ascii: "\n") }.map { index in index + 1 }
    let lengths = Array(Swift.stride(from: ends[0], through: bytes.count, by: stride))
    var flaws: [String] = []
    for length in lengths {
      let cut = MemoryFileSystem()
      try cut.setContents(Array(bytes[..<length]), of: path)
      let log = SimulatedLog(cut, segmentLimitBytes: 1 << 30)
      do {
        let writer = try log.open(schema: 1)
        defer { writer.abandon() }
        // The first two lines are control records, and so is the last one.
        let whole = min(max(0, ends.count { end in end <= length } - 2), ends.count - 3)
        if writer.opening.lastSeq != whole { flaws.append("length \(length): \(writer.opening.lastSeq), not \(whole)") }
      } catch {
        flaws.append("length \(length): \(error)")
      }
    }
    return Goal(
      "every length", wanted: "all open with what is whole", figure: "\(lengths.count) lengths, \(flaws.count) wrong",
      isMet: !lengths.isEmpty, flaws: Array(flaws.prefix(20)))
  }
}
