import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import Testing

/// A replay folds in place: if the engine kept an old state, the next write would copy it.
@MainActor @Suite struct InPlaceFoldTests {
  /// A state that is copied when it is written while it is shared, as a `Dictionary` is, and that counts the copies.
  struct CountingState: Codable, Equatable, Sendable {
    static let copies = Locked(0)

    private final class Storage: Sendable {
      let sum: Locked<Int>
      init(_ sum: Int) { self.sum = Locked(sum) }
    }

    private var storage = Storage(0)

    var sum: Int { storage.sum.withLock { sum in sum } }

    init() {}

    init(from decoder: any Decoder) throws {
      storage = Storage(try decoder.singleValueContainer().decode(Int.self))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(sum)
    }

    static func == (one: CountingState, other: CountingState) -> Bool { one.sum == other.sum }

    mutating func add(_ number: Int) {
      if !isKnownUniquelyReferenced(&storage) {
        Self.copies.withLock { count in count += 1 }
        storage = Storage(sum)
      }
      storage.sum.withLock { sum in sum += number }
    }
  }

  enum Counting: Model {
    enum Action: Codable, Equatable, Sendable { case add(Int) }
    static let name = "counting"
    static let schema = 1
    static let initialState = CountingState()
    static let sourceFingerprint: String? = "1"

    static func reduce(into state: inout CountingState, action: Action) {
      guard case .add(let number) = action else { return }
      state.add(number)
    }
  }

  private let disk = MemoryFileSystem()

  private func copies(during work: () throws -> Void) rethrows -> Int {
    CountingState.copies.withLock { count in count = 0 }
    try work()
    return CountingState.copies.withLock { count in count }
  }

  /// One test, because all copies are counted in one place.
  @Test func onlyKeptStatesAreCopied() async throws {
    let store = try RecordingStore<Counting>(
      at: "log", configuration: reproducible(Counting.self, snapshots: .every(1_500), durability: .written),
      fileSystem: disk)
    let dispatching = try copies { for number in 1...4_000 { try store.dispatch(action: .add(number)) } }
    #expect(dispatching == 4_000, "a live store keeps the state before each action")
    try await store.close()
    let history = try await History<Counting>(at: "log", fileSystem: disk)

    var options = ReplayOptions()
    options.usesSnapshots = false
    options.chunkBytes = 8_192
    for decodesAhead in [false, true] {
      options.decodesAhead = decodesAhead
      var sum = 0
      let count = try copies { sum = try history.state(options: options).sum }
      #expect(sum == 8_002_000)
      #expect(count == 1, "of the initial state, which the model keeps")
    }
    var replayed: Replayed<CountingState>?
    let afterSnapshot = try copies { replayed = try history.replay() }
    #expect(replayed?.report.snapshotsLoaded == 1 && replayed?.report.actionsFolded == 1_000)
    #expect(afterSnapshot == 0)

    var kept = 0
    let keeping = StateKeeping<CountingState>(next: { revision in revision + 100 }, keep: { _, _ in kept += 1 })
    let told = try copies { _ = try history.fold(FoldRequest(at: nil, to: nil, keeping: keeping)) }
    #expect(kept == 10 && told == 0, "visited, but not kept")
  }
}
