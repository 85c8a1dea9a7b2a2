import ActionLog

/// Writes a log whose bytes depend on the actions alone, except for the salts of a redactable one.
final class LogRecording {
  private let writer: LogWriter
  private var drafts: [LogDraft] = []
  private var count: Int64 = 0

  /// The number of actions per call of the writer.
  private static let batchLength = 1_000

  init(_ path: String, model: String, schema: Int, redactable: Bool = false) throws {
    var configuration = LogConfiguration(durability: .written, redactable: redactable)
    configuration.environment = .reproducible
    writer = try LogWriter.open(at: path, model: model, schema: schema, configuration: configuration)
  }

  func append(_ action: some Encodable) throws {
    count += 1
    // About the pace of a user who works all day.
    let time = LogTime(microseconds: LogEnvironment.epochMicroseconds + count * 37_001)
    drafts.append(LogDraft(try ActionCoding.encode(action), time: time))
    if drafts.count == Self.batchLength { try flush() }
  }

  func close() throws {
    try flush()
    try writer.closeNow()
  }

  private func flush() throws {
    guard !drafts.isEmpty else { return }
    _ = try writer.writeNow(drafts)
    drafts.removeAll(keepingCapacity: true)
  }
}

extension LogEnvironment {
  /// 2026-01-01T00:00:00Z.
  static let epochMicroseconds: Int64 = 1_767_225_600_000_000

  /// An environment in which nothing differs from run to run.
  static let reproducible = LogEnvironment(
    now: { LogTime(microseconds: epochMicroseconds) },
    makeLogID: { "6f1d2c3b-0000-4000-8000-000000000001" },
    processID: 1,
    hostName: "benchmark",
    program: "benchmarks"
  )
}
