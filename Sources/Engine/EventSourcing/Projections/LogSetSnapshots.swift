import ActionLog
import Platform

/// The snapshots of a projection of a set of logs, in `SET/projections/NAME`.
///
/// They have the format of a log's snapshots. The number in the name is that of all folded actions, and the state contains the
/// position in each log. All methods block.
struct LogSetSnapshots<P: Projection>: Sendable {
  let store: SnapshotStore
  private let states = StateCoder<LogSetFold<P.State>>()
  private let identity = ReducerIdentity<Projected<P>>(unknownTypes: P.Source.evolution.unknownTypes)

  /// The value of the member `log`: the logs are named by the positions.
  private static var logName: String { "set" }

  init(of folder: LogSetFolder) {
    store = SnapshotStore(at: folder.path, projection: P.name, fileSystem: folder.fileSystem)
  }

  /// A snapshot that was loaded.
  struct Loaded: Sendable {
    var number: Int
    var sizeBytes: Int?
    var time: LogTime
    var fold: LogSetFold<P.State>
  }

  func lock() -> (lock: (any DirectoryLock)?, error: LogError?) {
    var taken = store.lockUnlessHeld(for: P.identity)
    guard taken.lock != nil else { return taken }
    do throws(LogError) { try store.removeUnfinished() } catch { taken.error = error }
    return taken
  }

  /// Returns the newest snapshot with a smaller number that the present code can continue, and the newer ones with the reasons
  /// against them.
  func newest(below bound: Int) -> (snapshot: Loaded?, refusals: [SnapshotRefusal]) {
    let numbers: [Int]
    do throws(LogError) { numbers = try store.revisions() } catch {
      return (nil, [SnapshotRefusal(.unreadable, error.description, path: store.directory, revision: 0)])
    }
    var refusals: [SnapshotRefusal] = []
    for number in numbers.reversed() where number < bound {
      do throws(SnapshotRefusal) { return (try load(number), refusals) } catch { refusals.append(error) }
    }
    return (nil, refusals)
  }

  private func load(_ number: Int) throws(SnapshotRefusal) -> Loaded {
    let file = try store.file(at: number)
    let path = store.path(at: number)
    try file.snapshot.check(
      log: Self.logName, model: P.Source.name, schema: P.Source.schema, projection: P.identity, path: path)
    try identity.check(file.snapshot, path: path)
    let fold = try file.decodeState(by: states)
    guard fold.number == number else {
      throw SnapshotRefusal(.damaged, "its positions do not add up to \(number)", path: path, revision: number)
    }
    return Loaded(number: number, sizeBytes: file.sizeBytes, time: file.snapshot.time, fold: fold)
  }

  /// Writes a snapshot, and removes those that the rule does not keep.
  func publish(
    _ fold: LogSetFold<P.State>, number: Int, time: LogTime, _ retention: SnapshotRetention
  ) throws -> Int {
    let size = try store.publish(
      Snapshot(
        revision: number, time: time, log: Self.logName, model: P.Source.name, schema: P.Source.schema,
        reducer: try identity.text(), checksum: 0, state: try states.canonicalBytes(of: fold),
        projection: P.identity))
    try store.prune(retention, through: number)
    return size
  }
}

/// The state of a projection of a set, with the position in each log.
struct LogSetFold<State: Codable & Sendable>: Codable, Sendable {
  /// The positions in ascending order of the keys' bytes; logs without folded actions are left out.
  var positions: [LogSetPosition]
  var state: State

  /// The number of folded records; `nil` if a revision is invalid.
  var number: Int? {
    var sum = 0
    for position in positions {
      let (next, isOverflow) = sum.addingReportingOverflow(position.revision)
      guard position.revision > 0, !isOverflow else { return nil }
      sum = next
    }
    return sum
  }
}

/// The last folded action of a log.
struct LogSetPosition: Codable, Sendable {
  var key: String
  /// The identifier of the log: another log with the key is not a continuation.
  var log: String
  var revision: Int
  var checksum: UInt32
  /// The number of the line of the newest complete redaction whose replacements the folded actions had; `nil` if there was none, and in
  /// snapshots of older programs.
  var redaction: Int?

  enum CodingKeys: String, CodingKey {
    case key, log
    case revision = "seq"
    case checksum = "prev"
    case redaction = "redact"
  }

  /// Whether the folded actions had values that were redacted since. Blocks.
  func isRedacted(in redactions: LogRedactions) throws(LogError) -> Bool {
    guard revision > 0 else { return false }
    return try redactions.newest(affecting: revision, after: redaction) != nil
  }

  /// Whether a log has the action. Blocks.
  func isIn(_ reader: LogReader) throws(LogError) -> Bool {
    guard revision > 0 else { return true }
    do throws(LogError) { return try reader.anchor(at: revision).checksum == checksum } catch {
      guard error.code == .revisionOutOfRange else { throw error }
      return false
    }
  }
}

/// A key, compared by its bytes: to Swift, the two normal forms of `é` are equal, and their logs are not.
struct LogSetKey: Hashable, Comparable, Sendable {
  let bytes: [UInt8]

  init(_ key: String) { bytes = Array(key.utf8) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  static func < (one: LogSetKey, other: LogSetKey) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
}
