package import ActionLog
import ActionLogMaintenance
package import ActionLogTesting
import Platform

/// A log on a simulated disk, which one program after another opens.
package struct SimulatedLog: Sendable {
  /// The path of the log.
  package static let path = "/log"
  /// The model of its actions.
  static let model = "counter"

  /// The file system.
  package var door: any LogFileSystem
  /// The segment length from which on the next action begins a new segment.
  package var segmentLimitBytes: Int

  /// Creates a log on a file system.
  package init(_ door: any LogFileSystem, segmentLimitBytes: Int) {
    self.door = door
    self.segmentLimitBytes = segmentLimitBytes
  }

  /// Opens the log like a starting program.
  ///
  /// - Parameters:
  ///   - redactable: Whether it asks for salts.
  ///   - schedule: A function that takes delayed work.
  func open(
    schema: Int, durability: Durability = .written, redactable: Bool = false,
    schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) throws(LogError) -> LogWriter {
    try LogWriter.open(
      at: Self.path, model: Self.model, schema: schema, fileSystem: door,
      configuration: LogConfiguration(
        durability: durability, segmentLimitBytes: segmentLimitBytes,
        environment: .simulated { _, body in
          schedule(body)
          return {}
        },
        redactable: redactable))
  }

  /// Returns the readable actions.
  func actions(from path: String = SimulatedLog.path) throws(LogError) -> [Knowledge.Found] {
    var records = try LogReader.open(at: path, fileSystem: door).records()
    var found: [Knowledge.Found] = []
    while let record = try records.next() {
      if !record.isControl { found.append(Knowledge.Found(record)) }
    }
    return found
  }
}

extension Knowledge.Found {
  /// Reads an action of ``LogDraft/numbered(_:attempt:fill:schema:)``; zeros for any other record.
  init(_ record: LogRecord) {
    let numbers = record.dataBytes.split(whereSeparator: { byte in !(0x30...0x39).contains(byte) })
      .prefix(3).map { digits in Int(String(decoding: digits, as: UTF8.self)) ?? 0 }
    self.init(number: numbers.first ?? 0, attempt: numbers.count > 1 ? numbers[1] : 0)
    hasItsSchema = numbers.count < 3 || numbers[2] == record.schema
  }
}

extension LogDraft {
  /// Returns an action with a number, an attempt, a number of fill bytes, and the schema of the program that records it.
  static func numbered(_ number: Int, attempt: Int, fill: Int, schema: Int? = nil) -> LogDraft {
    // The fill bytes differ by attempt, so that the pages of two attempts differ as well.
    let letter = String(UnicodeScalar(UInt8(97 + attempt % 26)))
    let text = String(repeating: letter, count: fill)
    let stated = schema.map { schema in #""s":\#(schema),"# } ?? ""
    return LogDraft(type: "add", data: Array(#"{"n":\#(number),"a":\#(attempt),\#(stated)"x":"\#(text)"}"#.utf8))
  }
}

extension LogEnvironment {
  /// Returns surroundings with a clock that advances by a millisecond per call and with fixed names, so that every run
  /// writes the same bytes.
  package static func simulated(
    schedule: @escaping LogEnvironment.Schedule = { _, _ in {} }
  ) -> LogEnvironment {
    let ticks = Locked(0)
    var environment = LogEnvironment(
      now: {
        let tick = ticks.withLock { ticks in
          ticks += 1
          return ticks
        }
        return LogTime(microseconds: 1_795_251_600_000_000).advanced(by: .milliseconds(tick))
      },
      makeLogID: { "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11" },
      processID: 4711,
      hostName: "mac",
      program: "trials",
      schedule: schedule
    )
    environment.makeSalts = { bytes in
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 7) }
    }
    return environment
  }
}

/// Checks a log like the programs that start after a failure.
package struct LogJudge: Sendable {
  /// The actions that must be in the log.
  package var level: Knowledge.Level
  /// The segment length of the judge's own writer.
  package var segmentLimitBytes: Int

  /// Creates a judge for a level.
  package init(level: Knowledge.Level, segmentLimitBytes: Int) {
    self.level = level
    self.segmentLimitBytes = segmentLimitBytes
  }

  /// Returns the first flaw; `nil` if there is none.
  ///
  /// A reader reads the log, then a writer recovers it and appends to it, then it is verified. All results must match.
  ///
  /// - Parameters:
  ///   - disk: The disk after the failure, which the call changes.
  ///   - knowledge: The program's knowledge.
  ///   - door: The file system of the recovering writer, for failures during recovery.
  package func flaw(
    _ disk: MemoryFileSystem, _ knowledge: Knowledge, through door: (any LogFileSystem)? = nil
  ) -> Flaw? {
    do throws(LogError) {
      var log = SimulatedLog(door ?? disk, segmentLimitBytes: segmentLimitBytes)
      let writer = try log.open(schema: 1_000)
      defer { writer.abandon() }
      log.door = disk
      let found = try log.actions()
      guard found.count == writer.opening.lastRevision else {
        return .unverified("the writer found \(writer.opening.lastRevision) actions, a reader \(found.count)")
      }
      if let flaw = knowledge.flaw(in: found, atLeast: level) { return flaw }
      let next = Knowledge.Found(number: found.count + 1, attempt: 0)
      try writer.appendNow([.numbered(next.number, attempt: next.attempt, fill: 0)])
      try writer.closeNow()
      guard try log.actions() == found + [next] else {
        return .unverified("the action appended after the recovery does not follow the found ones")
      }
      let report = try LogVerifier.verify(at: SimulatedLog.path, fileSystem: disk)
      return report.verdict == .clean ? nil : .unverified("\(report.problems)")
    } catch {
      return .refused(error)
    }
  }

  /// Returns the flaw that a reader finds, which changes nothing.
  ///
  /// - Returns: `nil` if the actions are a prefix of the recorded ones, whether or not the reader reports damage.
  package func prefixFlaw(_ disk: MemoryFileSystem, _ knowledge: Knowledge) -> Flaw? {
    var found: [Knowledge.Found] = []
    do throws(LogError) {
      var records = try LogReader.open(at: SimulatedLog.path, fileSystem: disk).records()
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
