import ActionLog
import ActionLogTesting
import AnimalsData
import EventSourcing
import ImmutableData
import JSONCoding
import Platform

/// A clock that ticks once a millisecond, beginning at the time used on the page about the format.
func tickingEnvironment() -> LogEnvironment {
  var environment = LogEnvironment.live
  let ticks = Ticks()
  environment.now = { LogTime(microseconds: 1_795_251_600_000_000 + ticks.next() * 1_000) }
  environment.makeLogID = { "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11" }
  environment.processID = 4_711
  environment.hostName = "test"
  environment.program = "tests"
  // A test that blocks threads delays no other test, and idle writers keep what they have.
  environment.resources = LogResources(threads: ThreadPool(threadLimit: 7), schedule: { _, _ in {} })
  return environment
}

/// A configuration that records the same bytes every time.
func reproducible<M: Model>(
  _ model: M.Type,
  snapshots: SnapshotPolicy<M.State> = .never,
  digests: DigestPolicy = .withSnapshots,
  durability: Durability = .synced,
  segmentLimitBytes: Int? = nil
) -> RecordingConfiguration<M> {
  var log = LogConfiguration()
  log.environment = tickingEnvironment()
  log.durability = durability
  if let segmentLimitBytes { log.segmentLimitBytes = segmentLimitBytes }
  return RecordingConfiguration(
    log: log, snapshots: snapshots, retention: .all, digests: digests, onNotice: { _ in })
}

/// Folds actions without the engine, to compare rebuilt states with.
func folded<M: Model>(_ model: M.Type, _ actions: some Sequence<M.Action>) throws -> M.State {
  try actions.reduce(into: M.initialState) { state, action in try M.reduce(into: &state, action: action) }
}

/// The first accepted actions of a workload.
func acceptedActions(seed: UInt64, count: Int) -> [AnimalsAction] {
  var state = AnimalsModel.initialState
  var actions: [AnimalsAction] = []
  actions.reserveCapacity(count)
  for action in AnimalsWorkload(seed: seed) {
    guard actions.count < count else { break }
    var next = state
    do {
      try AnimalsModel.reduce(into: &next, action: action)
    } catch {
      continue
    }
    state = next
    actions.append(action)
  }
  return actions
}

/// Records actions through a recording store without syncing each.
@MainActor func record<M: Model>(
  _ actions: [M.Action], as model: M.Type, at path: String, in fileSystem: MemoryFileSystem,
  configuration: RecordingConfiguration<M>
) async throws {
  let store = try RecordingStore<M>(at: path, configuration: configuration, fileSystem: fileSystem)
  for action in actions { try store.dispatch(action: action) }
  try await store.close()
}

extension MemoryFileSystem {
  /// Every record of the log `log`, control records included.
  func records() throws -> [LogRecord] {
    var records = try LogReader.open(at: "log", fileSystem: self).records(from: 0)
    var all: [LogRecord] = []
    while let record = try records.next() { all.append(record) }
    return all
  }
}

extension ReplayOptions {
  /// Compares every digest.
  static func checkingDigests(usesSnapshots: Bool = true) -> ReplayOptions {
    var options = ReplayOptions()
    options.checksDigests = true
    options.usesSnapshots = usesSnapshots
    return options
  }
}

extension ReplayOptions {
  /// Folds every action from the first one, without snapshots.
  static var wholeLog: ReplayOptions {
    var options = ReplayOptions()
    options.usesSnapshots = false
    return options
  }
}

/// Counts up from 1, from any thread.
final class Ticks: Sendable {
  private let count = Locked<Int64>(0)

  func next() -> Int64 {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
