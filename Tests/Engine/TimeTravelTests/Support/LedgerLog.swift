import ActionLog
import ActionLogTesting
import EventSourcing
import Platform

/// A log of a ``Ledger`` in memory, with the states that its revisions must have.
///
/// Action *n* enters the amount *n* and was recorded *n* seconds after the log was made.
final class LedgerLog {
  static let path = "ledger"
  static let created = LogTime(microseconds: 1_795_251_600_000_000)

  let disk = MemoryFileSystem()
  /// The state at each revision, folded by hand.
  private(set) var states = [Ledger.initialState]

  init(actions count: Int, segmentLimitBytes: Int = 100_000) throws {
    try append(count, segmentLimitBytes: segmentLimitBytes)
  }

  var lastRevision: Int { states.count - 1 }

  func append(_ count: Int, segmentLimitBytes: Int = 100_000) throws {
    var configuration = LogConfiguration()
    configuration.durability = .written
    configuration.segmentLimitBytes = segmentLimitBytes
    configuration.environment.now = { Self.created }
    let writer = try LogWriter.open(
      at: Self.path, model: Ledger.name, schema: Ledger.schema, fileSystem: disk, configuration: configuration)
    var drafts: [LogDraft] = []
    for amount in states.count..<(states.count + count) {
      let form = try ActionCoding.encode(Ledger.Action.enter(amount))
      drafts.append(LogDraft(type: form.type, data: form.data, time: Self.time(of: amount)))
      var state = states[amount - 1]
      Ledger.reduce(into: &state, action: .enter(amount))
      states.append(state)
    }
    _ = try writer.writeNow(drafts)
    try writer.closeNow()
  }

  func history<M: Model>(_ model: M.Type = Ledger.self) throws -> History<M> {
    try History<M>(at: Self.path, fileSystem: disk)
  }

  static func time(of revision: Int) -> LogTime {
    created.advanced(by: .seconds(revision))
  }

  /// Every byte on the disk.
  var contents: [String: [UInt8]] {
    get throws {
      try Dictionary(uniqueKeysWithValues: disk.filePaths.map { path in (path, try disk.contents(of: path)) })
    }
  }
}
