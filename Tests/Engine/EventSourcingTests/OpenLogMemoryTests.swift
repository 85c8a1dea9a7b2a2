import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import Testing

/// An open log has its state in memory once: the state with which it was opened is not kept.
@MainActor @Suite struct OpenLogMemoryTests {
  /// A state whose copies are counted, as those of the storage of a `Dictionary`.
  struct TrackedState: Codable, Equatable, Sendable {
    /// The number of storages that exist.
    static let storageCount = Locked(0)

    private final class Storage: Sendable {
      let sum: Int

      init(_ sum: Int) {
        self.sum = sum
        TrackedState.storageCount.withLock { count in count += 1 }
      }

      deinit { TrackedState.storageCount.withLock { count in count -= 1 } }
    }

    private var storage: Storage

    var sum: Int { storage.sum }

    init(_ sum: Int) { storage = Storage(sum) }

    init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(Int.self)) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(sum)
    }

    static func == (one: TrackedState, other: TrackedState) -> Bool { one.sum == other.sum }
  }

  enum Tracked: Model {
    static var sourceFingerprint: String? { "" }
    enum Action: Codable, Equatable, Sendable { case add(Int) }
    static let name = "tracked"
    static let schema = 1
    static let initialState = TrackedState(0)

    static func reduce(into state: inout TrackedState, action: Action) {
      guard case .add(let number) = action else { return }
      state = TrackedState(state.sum + number)
    }
  }

  @Test func anOpenStoreKeepsOneState() async throws {
    let disk = MemoryFileSystem()
    func open() throws -> RecordingStore<Tracked> {
      try RecordingStore<Tracked>(at: "log", configuration: reproducible(Tracked.self), fileSystem: disk)
    }
    func record() async throws {
      let store = try open()
      for number in 1...3 { try store.dispatch(action: .add(number)) }
      try await store.close()
    }
    try await record()
    let before = TrackedState.storageCount.withLock { count in count }
    let store = try open()
    #expect(store.state.sum == 6 && store.restored.revision == 3)
    try store.dispatch(action: .add(4))
    #expect(store.state.sum == 10)
    #expect(TrackedState.storageCount.withLock { count in count } == before + 1)
    try await store.close()
  }
}
