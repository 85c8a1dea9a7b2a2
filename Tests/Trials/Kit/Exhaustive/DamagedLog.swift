import ActionLog

/// A log of one segment whose lines are known, so that for each bit of it can be said what must become of the log when that
/// bit turns over.
struct DamagedLog: Sendable {
  /// How its last writer ended.
  enum End: String, Sendable, CaseIterable {
    /// It was closed, and its last line is a control record.
    case closed
    /// The process was killed, and its last lines are actions that were not synchronised.
    case killed
  }

  static let path = SimulatedLog.path + "/0000000000000001.jsonl"
  static let headPath = SimulatedLog.path + "/HEAD"

  /// The disk with the log.
  let disk: MemoryFileSystem
  /// The bytes of the segment.
  let bytes: [UInt8]
  /// The ends of its lines, the line feeds included.
  let ends: [Int]
  /// How many actions stand before each line, and before the end of the file.
  let actionCounts: [Int]
  /// What the actions say.
  let actions: [[UInt8]]
  /// How many bytes `HEAD` calls durable; 0 without one.
  let headBytes: Int

  /// Makes a log of at least so many bytes.
  ///
  /// - Parameter hasHead: Whether `HEAD` is up to date, or missing.
  init(sizeBytes: Int, end: End, hasHead: Bool) throws(LogError) {
    let disk = MemoryFileSystem()
    do throws(FileSystemError) {
      try Self.write(disk, sizeBytes: sizeBytes, end: end)
      if !hasHead { try disk.remove(Self.headPath) }
      bytes = try disk.contents(of: Self.path)
      headBytes = hasHead ? LogHead(parsing: try disk.contents(of: Self.headPath))?.bytes ?? 0 : 0
    } catch {
      throw LogError(.inputOutput, "the log cannot be made", underlying: error)
    }
    guard !hasHead || headBytes > 0 else { throw LogError(.failed, "no writer has written HEAD", path: Self.headPath) }
    self.disk = disk
    ends = bytes.indices.filter { [bytes] index in bytes[index] == UInt8(ascii: "\n") }.map { index in index + 1 }
    var records = try LogReader.open(SimulatedLog.path, fileSystem: disk).records()
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
        // Some lines are written and not synchronised, so that those that follow do not call them durable.
        if batch % 4 == 3 { _ = try writer.write(drafts) } else { try writer.commit(drafts) }
        // More than one process wrote it.
        if batch % 20 == 19 {
          try writer.closeNow()
          writer = try log.open(schema: 1)
        }
      }
      if end == .closed { return try writer.closeNow() }
      _ = try writer.write([1, 2, 3].map { next in .numbered(number + next, attempt: number + next, fill: 0) })
      writer.abandon()
    } catch {
      throw FileSystemError(code: .inputOutput, operation: "\(error)", path: path)
    }
  }

  private static func size(_ disk: MemoryFileSystem) throws(LogError) -> Int {
    do throws(FileSystemError) { return try disk.status(of: path)?.sizeBytes ?? 0 } catch {
      throw LogError(.inputOutput, "the log cannot be made", underlying: error)
    }
  }
}

extension DamagedLog {
  /// What must become of a log.
  struct Expectation {
    /// Whether something shows that what is bad was durable, so that the log must be refused.
    var isDamage: Bool
    /// Where the good lines end.
    var goodBytes: Int
    /// How many actions they hold.
    var actionCount: Int
  }

  /// What must be said when a byte is another one: damage, unless it lies in the last line and `HEAD` does not reach there.
  func expectation(forByte offset: Int) -> Expectation {
    // The first line whose end lies behind the byte.
    var (low, high) = (0, ends.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > offset { high = middle } else { low = middle + 1 }
    }
    let start = low == 0 ? 0 : ends[low - 1]
    return Expectation(
      isDamage: low == 0 || low < ends.count - 1 || headBytes > start, goodBytes: start, actionCount: actionCounts[low])
  }

  /// What must be said when the file ends after so many bytes: damage, if its first line is not there or `HEAD` knows of more.
  func expectation(forLength length: Int) -> Expectation {
    let whole = ends.count { end in end <= length }
    let goodBytes = whole == 0 ? 0 : ends[whole - 1]
    return Expectation(
      isDamage: whole == 0 || headBytes > goodBytes, goodBytes: goodBytes, actionCount: actionCounts[whole])
  }
}
