#if DEBUG
import ActionLogTesting
import EventSourcing
import ImmutableData
import Testing

/// What a debug build of EventSourcing checks in addition; `RoundTripTests` has the rest. It is here because `.ci/debug-tests` builds
/// this target.
@MainActor @Suite struct RecordingChecksTests {
  /// An action with a value that `Codable` does not preserve.
  private enum Lossy: Codable, Equatable, Sendable {
    case number(Int??)
  }

  private enum Counted: Model {
    static let name = "counted"
    static let schema = 1
    static let initialState = 0

    static func reduce(into state: inout Int, action: Lossy) { state += 1 }
  }

  @Test func everyActionIsChecked() async throws {
    let store = try RecordingStore<Counted>(at: "log", fileSystem: MemoryFileSystem())
    for number in 1...3 { try store.dispatch(action: .number(number)) }
    #expect(throws: EventSourcingError.self) { try store.dispatch(action: .number(.some(nil))) }
    #expect(store.state == 3)
    try await store.close()
  }
}
#endif
