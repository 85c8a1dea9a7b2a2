package import ActionLog
import Platform

/// A log on a simulated disk, as one program after the other finds it.
package struct SimulatedLog: Sendable {
  /// Where it lies.
  package static let path = "/log"
  /// The model whose actions it holds.
  static let model = "counter"

  /// The door to the disk.
  package var door: any LogFileSystem
  /// The length from which the next action begins a new segment.
  package var segmentLimitBytes: Int

  /// A log behind a door.
  package init(_ door: any LogFileSystem, segmentLimitBytes: Int) {
    self.door = door
    self.segmentLimitBytes = segmentLimitBytes
  }

  /// Opens the log as a program does that starts.
  ///
  /// - Parameter schedule: Takes what is to be called later.
  func open(
    schema: Int, durability: Durability = .flush,
    schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) throws(LogError) -> LogWriter {
    try LogWriter.open(
      Self.path, model: Self.model, schema: schema, fileSystem: door,
      configuration: LogConfiguration(
        durability: durability, segmentLimitBytes: segmentLimitBytes,
        environment: .simulated { _, body in
          schedule(body)
          return {}
        }))
  }

  /// The actions that can be read.
  func actions(from path: String = SimulatedLog.path) throws(LogError) -> [Knowledge.Found] {
    var records = try LogReader.open(path, fileSystem: door).records()
    var found: [Knowledge.Found] = []
    while let record = try records.next() {
      if !record.isControl { found.append(Knowledge.Found(record)) }
    }
    return found
  }
}

extension Knowledge.Found {
  /// Reads what ``LogDraft/numbered(_:attempt:fill:)`` wrote; zeros for anything else.
  init(_ record: LogRecord) {
    let numbers = record.dataBytes.split(whereSeparator: { byte in !(0x30...0x39).contains(byte) })
      .prefix(2).map { digits in Int(String(decoding: digits, as: UTF8.self)) ?? 0 }
    self.init(number: numbers.first ?? 0, attempt: numbers.count > 1 ? numbers[1] : 0)
  }
}

extension LogDraft {
  /// An action with a number, its attempt, and as many bytes as are wanted.
  static func numbered(_ number: Int, attempt: Int, fill: Int) -> LogDraft {
    // The filling differs by attempt, so that the pages of two attempts differ too.
    let letter = String(UnicodeScalar(UInt8(97 + attempt % 26)))
    let text = String(repeating: letter, count: fill)
    return LogDraft(type: "add", data: Array(#"{"n":\#(number),"a":\#(attempt),"x":"\#(text)"}"#.utf8))
  }
}

extension LogEnvironment {
  /// A clock that goes on by a millisecond each time it is asked, and fixed names: every run makes the same bytes.
  package static func simulated(
    schedule: @escaping LogEnvironment.Schedule = { _, _ in {} }
  ) -> LogEnvironment {
    let ticks = Locked(0)
    return LogEnvironment(
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
  }
}
