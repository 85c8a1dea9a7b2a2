import ActionLog
import ActionLogMaintenance
package import ActionLogTesting
import JSONCoding
import Platform
import TestSupport

/// Simulates interruptions of backups, salvages and shippings, and repairs of the results.
///
/// The guarantee is that the target holds the complete copy or is refused, and never opens as a prefix of the copy. A lake is restored
/// without the log, with each action that was shipped before, as it was or redacted.
package struct CareSimulation: Sendable {
  /// An operation on a log.
  package enum Care: String, Sendable, CaseIterable {
    /// Back up a log that is being written.
    case backup
    /// Salvage a log with a damaged line.
    case salvage
    /// Ship new actions and a redaction to a lake.
    case ship
  }

  /// The end of the operation.
  package enum End: String, Sendable, CaseIterable {
    /// The power is cut.
    case powerCut = "power-cut"
    /// The process is killed.
    case kill
    /// The disk is full and the operation fails.
    case fullDisk = "full-disk"
    /// A call fails and so does the operation.
    case failure
  }

  /// The path of the copy.
  package static let target = "/copy"

  private static let lake = "/lake"
  private static let shipped = "/lake/model=counter/log=\(LogEnvironment.simulated().makeLogID())"

  /// The seed of all random choices.
  package var seed: UInt64
  /// The operation.
  package var care: Care
  /// The end of the operation.
  package var end: End

  /// Creates a run.
  package init(seed: UInt64, care: Care, end: End) {
    self.seed = seed
    self.care = care
    self.end = end
  }

  /// Repeats the operation, and ends it at each of its calls in turn.
  package func run() -> SimulationTally {
    var generator = SeededGenerator(seed: seed)
    let source: MemoryFileSystem
    let wanted: CareWanted
    do throws(LogError) {
      (source, wanted) = try prepare(&generator)
    } catch {
      var tally = SimulationTally()
      tally.add(flaw: "\(care.rawValue), seed \(seed): the log could not be made: \(error)")
      return tally
    }
    switch end {
    case .powerCut, .kill: return interrupt(source.copy(), wanted, generator)
    case .fullDisk, .failure: return fail(source, wanted)
    }
  }

  /// Creates a log of several segments, with an invalid line for a salvage, and returns the expected contents of the
  /// copy.
  private func prepare(_ generator: inout SeededGenerator) throws(LogError) -> (MemoryFileSystem, wanted: CareWanted) {
    if care == .ship { return try prepareLake(&generator) }
    let disk = MemoryFileSystem()
    let log = SimulatedLog(disk, segmentLimitBytes: 2_000)
    let writer = try log.open(schema: 1)
    let count = Int.random(in: 5...20, using: &generator)
    for number in 1...count {
      try writer.appendNow([.numbered(number, attempt: number, fill: Int.random(in: 0...600, using: &generator))])
    }
    if Bool.random(using: &generator) { try writer.closeNow() } else { writer.abandon() }
    do throws(FileSystemError) {
      let whole = try CareWanted.lines(on: disk)
      if care != .backup {
        let segment = whole.indices.randomElement(using: &generator) ?? 0
        let length = whole[segment].lines.reduce(0) { sum, line in sum + line.count + 1 }
        // Any bit of any segment, including line feeds.
        let byte = Int.random(in: 0..<length, using: &generator)
        try disk.flipBit(Int.random(in: 0..<8, using: &generator), ofByte: byte, in: whole[segment].path)
      }
      return (disk, try CareWanted(whole, on: disk))
    } catch {
      throw LogError(.inputOutput, "the log cannot be prepared", underlying: error)
    }
  }

  /// Creates a log with salts that was shipped, continued and redacted, perhaps twice, and the expected contents of the next shipping.
  private func prepareLake(_ generator: inout SeededGenerator) throws(LogError) -> (MemoryFileSystem, CareWanted) {
    let disk = MemoryFileSystem()
    let log = SimulatedLog(disk, segmentLimitBytes: 2_000)
    let (first, second) = (Int.random(in: 2...6, using: &generator), Int.random(in: 0...4, using: &generator))
    var wanted = CareWanted(actions: [])
    var number = 0
    for count in [first, second] {
      let writer = try log.open(schema: 1, redactable: true)
      for _ in 0..<count {
        number += 1
        try writer.appendNow([.numbered(number, attempt: number, fill: Int.random(in: 1...600, using: &generator))])
      }
      if count == first {
        // The tail of an open log, or the last segment of a closed one.
        if Bool.random(using: &generator) { try writer.closeNow() } else { _ = try writer.syncNow() }
        try ship(disk)
        wanted.shippedCount = try LogVerifier.verify(at: Self.shipped, fileSystem: disk).lastRevision
      }
      writer.abandon()
    }
    wanted.before = try log.contents(from: SimulatedLog.path)
    wanted.redactionCount = Int.random(in: 1...2, using: &generator)
    for _ in 0..<wanted.redactionCount {
      let revisions = Set((1...4).map { _ in Int.random(in: 1...number, using: &generator) })
      try LogRedaction.redact(
        revisions, at: SimulatedLog.path, [ValueReplacement(JSONPointer(["data", "x"]))], disk)
    }
    wanted.actions = try log.contents(from: SimulatedLog.path)
    if Bool.random(using: &generator) { try log.open(schema: 1, redactable: true).abandon() }
    return (disk, wanted)
  }

  private func ship(_ door: any LogFileSystem) throws(LogError) {
    let shipping = try LogShipping(at: SimulatedLog.path, to: Self.lake, fileSystem: door)
    var pass = try ShippingPass(shipping, now: LogEnvironment.simulated().now)
    do {
      for segment in shipping.segments { _ = try pass.ship(segment) }
    } catch let error as LogError {
      throw error
    } catch {
      throw LogError(.inputOutput, "\(error)")
    }
    _ = try pass.finish()
  }

  private func work(_ door: any LogFileSystem) throws(LogError) {
    switch care {
    case .ship: try ship(door)
    case .backup: _ = try LogBackup.backup(at: SimulatedLog.path, to: Self.target, fileSystem: door)
    case .salvage:
      _ = try LogSalvage.salvage(
        at: SimulatedLog.path, to: Self.target, fileSystem: door, environment: .simulated())
    }
  }

  private func interrupt(_ disk: MemoryFileSystem, _ wanted: CareWanted, _ generator: SeededGenerator)
    -> SimulationTally
  {
    let tally = Locked(SimulationTally())
    let seeds = Locked(generator)
    let door = FaultyFileSystem(disk) { call in
      guard call.operation.changesDisk else { return }
      let left =
        end == .kill
        ? disk.copy() : seeds.withLock { seeds in disk.crash(CrashModel.drawn(&seeds, stale: false)) }
      look(at: left, wanted, "before \(call)", tally)
    }
    do throws(LogError) {
      try work(door)
      // After the call returned, the copy is durable.
      look(at: disk.crash(.onlySyncedSurvives), wanted, "at the end", tally, mustBeThere: true)
    } catch {
      tally.withLock { tally in tally.add(flaw: "\(care.rawValue), seed \(seed): \(error)") }
    }
    return tally.withLock { tally in tally }
  }

  private func fail(_ source: MemoryFileSystem, _ wanted: CareWanted) -> SimulationTally {
    let tally = Locked(SimulationTally())
    var number = 1
    while number < Self.callLimit {
      let disk = source.copy()
      // The disk is full from a call on: nothing can be written, but files can be removed.
      let fault = FileFault(number: number, lasts: false, code: end == .fullDisk ? .noSpace : .inputOutput)
      let faults =
        end == .fullDisk
        ? [FileCall.Operation.append, .createDirectory].map { operation in
          FileFault(operation, number: number, lasts: true, code: .noSpace, partialWrite: .half)
        } : [fault]
      let door = FaultyFileSystem(disk, faults: faults)
      do throws(LogError) { try work(door) } catch {
        look(at: disk, wanted, "after \(error)", tally)
        retry(on: disk, wanted, number, tally)
      }
      guard door.firedCount > 0 else { return tally.withLock { tally in tally } }
      number += 1
    }
    return tally.withLock { tally in tally }
  }

  /// The maximum number of calls, far more than a copy makes.
  private static let callLimit = 10_000

  /// Repeats a failed operation after the fault is over.
  private func retry(
    on disk: MemoryFileSystem, _ wanted: CareWanted, _ number: Int, _ tally: Locked<SimulationTally>
  ) {
    do throws(LogError) {
      try work(disk)
      look(at: disk, wanted, "done again after failure \(number)", tally, mustBeThere: true)
    } catch {
      // The copy may have been complete before the failure.
      guard error.code != .exists else { return }
      tally.withLock { tally in
        tally.add(flaw: "\(care.rawValue), seed \(seed), call \(number): it cannot be done again: \(error)")
      }
    }
  }

  /// Checks the target.
  private func look(
    at disk: MemoryFileSystem, _ wanted: CareWanted, _ place: String, _ tally: Locked<SimulationTally>,
    mustBeThere: Bool = false
  ) {
    let flaw =
      care == .ship
      ? Self.lakeFlaw(of: disk, wanted, isComplete: mustBeThere)
      : Self.flaw(at: disk, wanted, mustBeThere: mustBeThere)
    tally.withLock { tally in
      tally.states += 1
      if let flaw { tally.add(flaw: "\(care.rawValue), \(end.rawValue), seed \(seed), \(place): \(flaw)") }
    }
  }
}

extension CareSimulation {
  /// Returns the flaw of the target; `nil` if there is none. The target must be a log that opens with exactly the
  /// expected actions and verifies as clean, with all lines that had to be set aside, or it must be missing. A log that
  /// is refused as damaged is a flaw.
  ///
  /// - Parameters:
  ///   - wanted: The expected contents of the copy.
  ///   - mustBeThere: Whether the copy must exist.
  package static func flaw(at disk: MemoryFileSystem, _ wanted: CareWanted, mustBeThere: Bool) -> String? {
    do throws(LogError) {
      let found = try SimulatedLog(disk, segmentLimitBytes: 1).contents(from: target)
      if found != wanted.actions {
        return "the copy opens with \(found.count) of \(wanted.actions.count) actions, or with others"
      }
      let report = try LogVerifier.verify(at: target, fileSystem: disk)
      if report.verdict != .clean { return "the copy opens and is \(report.verdict.rawValue): \(report.problems)" }
    } catch {
      let isAbsent = error.code == .notFound || error.code == .notALog
      return isAbsent && !mustBeThere ? nil : "\(error)"
    }
    guard !wanted.setAside.isEmpty else { return nil }
    do throws(FileSystemError) {
      let kept = Set(try disk.contents(of: target + "/after-gap.jsonl").split(separator: 10).map(Array.init))
      let missing = wanted.setAside.count { line in !kept.contains(line) }
      return missing == 0 ? nil : "\(missing) of \(wanted.setAside.count) lines were not set aside"
    } catch {
      return "\(wanted.setAside.count) lines were not set aside: \(error)"
    }
  }
}

extension CareSimulation {
  /// Returns the flaw of a lake, which is restored without the log; `nil` if there is none.
  private static func lakeFlaw(of disk: MemoryFileSystem, _ wanted: CareWanted, isComplete: Bool) -> String? {
    let disk = disk.copy()
    do throws(LogError) {
      do throws(FileSystemError) {
        for path in disk.filePaths where path.hasPrefix(SimulatedLog.path + "/") { try disk.remove(path) }
      } catch {
        throw LogError(.inputOutput, "the log cannot be removed", underlying: error)
      }
      let report = try LogVerifier.verify(at: shipped, fileSystem: disk)
      guard report.verdict == .clean else { return "the lake is \(report.verdict.rawValue): \(report.problems)" }
      let warnings = report.warnings.filter { warning in
        // A power cut may leave an open log without `HEAD`, and no tail with the record is shipped.
        warning.kind != .clockWentBack && warning.kind != .unfinishedRedaction
      }
      if isComplete, !warnings.isEmpty { return "the lake has warnings: \(warnings)" }
      let log = SimulatedLog(disk, segmentLimitBytes: 2_000)
      let isRecorded = try !LogReader.open(at: shipped, fileSystem: disk).redactions().isEmpty
      try LakeRestoring(from: shipped, fileSystem: disk)
        .run(to: target, isPartial: false, environment: .simulated())
      let restored = try LogVerifier.verify(at: target, fileSystem: disk)
      guard restored.verdict == .clean, restored.warnings.allSatisfy({ warning in warning.kind == .clockWentBack })
      else {
        return "the restored log is not intact: \(restored.problems) \(restored.warnings)"
      }
      let found = try log.contents(from: target)
      guard found.count >= (isComplete ? wanted.actions.count : wanted.shippedCount) else {
        return "\(found.count) actions are restored, and \(wanted.shippedCount) were shipped"
      }
      for (index, data) in found.enumerated() {
        let isAsBefore = !isComplete && data == wanted.before[index]
        guard data == wanted.actions[index] || isAsBefore else { return "action \(index + 1) is another one" }
      }
      // With one record, that carries out all of it.
      guard isRecorded, wanted.redactionCount == 1, found != wanted.actions.prefix(found.count).map(\.self) else {
        return nil
      }
      return "the lake has the record, and a value is restored"
    } catch {
      return "\(error)"
    }
  }
}

extension LogRedaction {
  /// Redacts values of actions.
  fileprivate static func redact(
    _ revisions: Set<Int>, at path: String, _ replacements: [ValueReplacement], _ disk: MemoryFileSystem
  ) throws(LogError) {
    do {
      _ = try redact(at: path, reason: "trial", fileSystem: disk, environment: .simulated()) { reader in
        try reader.lineIndices(ofActions: revisions).values.sorted().map { index in
          RedactionTarget(index: index, replacements: replacements)
        }
      }
    } catch let error as LogError {
      throw error
    } catch {
      throw LogError(.inputOutput, "\(error)")
    }
  }
}

/// The expected contents of a copy. They are derived by comparing the damaged bytes with the original ones,
/// independently of the engine.
package struct CareWanted: Sendable {
  /// The data of the actions, in order.
  package var actions: [[UInt8]]
  /// The lines of actions that must be set aside next to the copy.
  package var setAside: [[UInt8]]
  /// The data of the actions before they were redacted, and the number of those that the lake had.
  var before: [[UInt8]] = []
  var shippedCount = 0
  var redactionCount = 0

  /// Creates expected contents.
  package init(actions: [[UInt8]], setAside: [[UInt8]] = []) {
    self.actions = actions
    self.setAside = setAside
  }

  /// The lines of a segment, without line feeds.
  struct Segment {
    var path: String
    var lines: [[UInt8]]
  }

  /// Derives the expected contents of a copy.
  ///
  /// - Parameters:
  ///   - whole: The original log.
  ///   - disk: The disk with the damaged log.
  init(_ whole: [Segment], on disk: MemoryFileSystem) throws(FileSystemError) {
    actions = []
    setAside = []
    var isBehind = false
    for segment in whole {
      let bytes = try disk.contents(of: segment.path)
      var offset = 0
      for (number, line) in segment.lines.enumerated() {
        let isThere = bytes[offset..<min(offset + line.count, bytes.count)].elementsEqual(line)
        let end = offset + line.count
        // A line with a damaged line feed is intact, but the intact part ends before it.
        if !isThere || bytes[end] != 10 { isBehind = true }
        offset = end + 1
        // Without the first line of a segment, its actions cannot be assigned to a log.
        guard isThere, number > 0, let values = Self.values(in: line) else { continue }
        if isBehind { setAside.append(line) }
        if !isBehind { actions.append(values) }
      }
    }
  }

  /// The segments of the simulated log.
  static func lines(on disk: MemoryFileSystem) throws(FileSystemError) -> [Segment] {
    var segments: [Segment] = []
    for name in try disk.names(in: SimulatedLog.path).sorted() where name.hasSuffix(".jsonl") {
      let path = SimulatedLog.path + "/" + name
      segments.append(
        Segment(path: path, lines: try disk.contents(of: path).split(separator: 10).map { line in Array(line) }))
    }
    return segments
  }

  /// Returns the data of an action: from the first `{"n":` to the next brace. Its text contains no braces.
  private static func values(in line: [UInt8]) -> [UInt8]? {
    let opening = Array(#"{"n":"#.utf8)
    guard let start = line.indices.first(where: { index in line[index...].starts(with: opening) }),
      let end = line[start...].firstIndex(of: UInt8(ascii: "}"))
    else { return nil }
    return Array(line[start...end])
  }
}

extension SimulatedLog {
  /// Returns the data of the readable actions.
  func contents(from path: String) throws(LogError) -> [[UInt8]] {
    var records = try LogReader.open(at: path, fileSystem: door).records()
    var found: [[UInt8]] = []
    while let record = try records.next() {
      if !record.isControl { found.append(Array(record.dataBytes)) }
    }
    return found
  }
}
