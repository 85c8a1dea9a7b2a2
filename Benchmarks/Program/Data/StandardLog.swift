import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import Foundation

/// The Animals sample without a fingerprint: no snapshot is used.
enum UnidentifiedModel: Model {
  static let name = AnimalsModel.name
  static let schema = AnimalsModel.schema
  static let initialState = AnimalsModel.initialState

  static func reduce(into state: inout AnimalsState, action: AnimalsAction) throws {
    try AnimalsModel.reduce(into: &state, action: action)
  }
}

/// The Animals sample with a fingerprint of its sources, as an application that follows the README has it.
enum FingerprintedModel: Model {
  static let name = AnimalsModel.name
  static let schema = AnimalsModel.schema
  static let initialState = AnimalsModel.initialState
  static let sourceFingerprint: String? = "benchmarks"

  static func reduce(into state: inout AnimalsState, action: AnimalsAction) throws {
    try AnimalsModel.reduce(into: &state, action: action)
  }
}

extension DataSet {
  /// A copy of the long log with snapshots of the standard policy, for a model with a fingerprint. The last one is so old that the
  /// next one is due.
  ///
  /// It has only the last one, because no other is read.
  func fingerprintedLog() throws -> String {
    try standardLog(of: FingerprintedModel.self, "fingerprinted", newest: 1)
  }

  /// The same for the model of the sample, with all snapshots that the standard rule keeps.
  func plainLog() throws -> String { try standardLog(of: AnimalsModel.self, "plain") }

  private func standardLog<M: Model>(
    of model: M.Type, _ name: String, newest limit: Int = .max
  ) throws -> String where M.State == AnimalsState, M.Action == AnimalsAction {
    let log = try log(sizes.logActions)
    let state = try StateCoder<AnimalsState>().canonicalBytes(of: try endState())
    return try file("standard-\(name)-\(sizes.logActions)") { path in
      try FileManager.default.copyItem(atPath: log, toPath: path)
      let bytes = try LogReader.open(at: path).segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
      let history = try History<M>(at: path)
      let snapshots = SnapshotStore(at: path, fileSystem: POSIXFileSystem())
      for revision in snapshotRevisions(logBytes: bytes, stateBytes: state.count).suffix(limit) {
        _ = try history.takeSnapshot(at: revision)
        try snapshots.prune(.exponential())
      }
    }
  }

  /// The revisions at which the standard policy takes snapshots of the long log, ascending, the next one being due at its end.
  ///
  /// The state is assumed to grow evenly, and times are those that the policy assumes before it has measured any.
  private func snapshotRevisions(logBytes: Int, stateBytes: Int) -> [Int] {
    let policy = SnapshotPolicy<AnimalsState>.standard
    let last = sizes.logActions
    func isDue(at revision: Int, after actions: Int) -> Bool {
      let snapshotBytes = stateBytes / last * (revision - actions)
      return policy.isDue(
        at: SnapshotOccasion(
          revision: revision, actionsSinceSnapshot: actions, logBytesSinceSnapshot: logBytes / last * actions,
          lastSnapshotBytes: snapshotBytes, estimatedReplay: .microseconds(4 * actions),
          estimatedLoad: .nanoseconds(10 * snapshotBytes), state: { AnimalsModel.initialState }))
    }
    var revisions: [Int] = []
    var revision = last
    // The more actions, the sooner it is due: the first number is found by bisection.
    while revision > 1, isDue(at: revision, after: revision - 1) {
      var (low, high) = (0, revision - 1)
      while high - low > 1 {
        let middle = (low + high) / 2
        if isDue(at: revision, after: middle) { high = middle } else { low = middle }
      }
      revision -= high
      revisions.append(revision)
    }
    return revisions.reversed()
  }

  /// A log of so many actions whose lines have salts.
  func redactableLog(_ count: Int) throws -> String {
    try file("redactable-\(count)") { path in
      let recording = try LogRecording(path, model: AnimalsModel.name, schema: AnimalsModel.schema, redactable: true)
      try forEachAccepted(count) { action in try recording.append(action) }
      try recording.close()
    }
  }

  /// An animal that was added in the second half of the long log, as early as possible, and not changed since.
  func animalChangedOnce() throws -> String {
    if let animalChanged { return animalChanged }
    var added: [String: Int] = [:]
    var revision = 0
    try forEachAccepted(sizes.logActions) { action in
      revision += 1
      guard case .data(.persistentSession(let result)) = action else { return }
      switch result {
      case .didAddAnimal(_, .success(let animal)):
        if revision > sizes.logActions / 2 { added[animal.id] = revision }
      case .didUpdateAnimal(let id, .success), .didDeleteAnimal(let id, .success): added[id] = nil
      case .didFetchAnimals(.success(let animals)), .didReloadSampleData(.success(let animals, _)):
        for animal in animals { added[animal.id] = nil }
      default: break
      }
    }
    guard let found = added.min(by: { one, other in one.value < other.value }) else {
      throw HarnessError("the workload changed every animal more than once")
    }
    animalChanged = found.key
    return found.key
  }
}
