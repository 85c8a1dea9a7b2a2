import ActionLog
import AnimalsData
import EventSourcing
import ImmutableData
import JSONCoding

/// A clock that ticks once a millisecond, from the hour that the format's page begins at.
func tickingEnvironment() -> LogEnvironment {
  var environment = LogEnvironment.live
  let ticks = Ticks()
  environment.now = { LogTime(microseconds: 1_795_251_600_000_000 + ticks.next() * 1_000) }
  environment.makeLogID = { "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11" }
  environment.processID = 4_711
  environment.hostName = "test"
  environment.program = "tests"
  return environment
}

/// A configuration that records the same bytes every time.
func reproducible<M: Model>(
  _ model: M.Type,
  snapshots: SnapshotPolicy<M.State> = .never,
  digests: DigestPolicy = .withSnapshots,
  durability: Durability = .commit,
  segmentLimitBytes: Int? = nil
) -> RecordingConfiguration<M> {
  var log = LogConfiguration()
  log.environment = tickingEnvironment()
  log.durability = durability
  if let segmentLimitBytes { log.segmentLimitBytes = segmentLimitBytes }
  return RecordingConfiguration(log: log, snapshots: snapshots, retention: .all, digests: digests)
}

/// Folds a model by hand: what every rebuilt state is compared with.
func folded<M: Model>(_ model: M.Type, _ actions: some Sequence<M.Action>) throws -> M.State {
  try actions.reduce(into: M.initialState) { state, action in try M.reduce(into: &state, action: action) }
}

/// The first accepted actions of a workload.
func acceptedActions(seed: UInt64, count: Int) -> [AnimalsAction] {
  var state = AnimalsModel.initialState
  var actions: [AnimalsAction] = []
  actions.reserveCapacity(count)
  for action in AnimalsWorkload(seed: seed, count: .max) {
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
  let store = try RecordingStore<M>(opening: path, configuration: configuration, fileSystem: fileSystem)
  for action in actions { try store.dispatch(action: action) }
  try await store.close()
}
