import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import TestSupport
import Testing

/// A state that contains `Double.nan` is not equal to itself, but it is the same state.
@MainActor @Suite struct NotANumberTests {
  private let disk = MemoryFileSystem()

  private func open(_ base: Gauge.State? = nil) throws -> Recorder<Gauge> {
    try Recorder(
      at: "log", startingAt: base, configuration: reproducible(Gauge.self, snapshots: .every(2)), fileSystem: disk)
  }

  @Test func aLogWithNaNInItsStateOpensAgain() async throws {
    for _ in 1...3 {
      let recorder = try open()
      let store = try recorder.makeStore()
      #expect(store.state != store.state, "the state is not equal to itself")
      try store.dispatch(action: .read(1))
      try store.dispatch(action: .read(.nan))
      try await recorder.sync()
      _ = try recorder.makeStore()
      try await recorder.close()
    }
    let history = try await History<Gauge>(at: "log", fileSystem: disk)
    #expect(try history.state().readings.count == 6)
    #expect(try history.prove().isProven)
  }

  @Test func anEqualStateWithNaNCanBeListenedTo() async throws {
    var base = Gauge.State()
    base.readings = [.nan, 2]
    let recorder = try open(base)
    try recorder.listen(to: Store(initialState: base, reducer: Gauge.reducer))
    base.readings[1] = 3
    let other = Store(initialState: base, reducer: Gauge.reducer)
    let error = try #require(throws: EventSourcingError.self) { try recorder.listen(to: other) }
    #expect(error.code == .storeMismatch)
    try await recorder.close()
  }

  @Test func anInitialStateWithNaNNeedsNoBaseRecord() async throws {
    let recorder = try open(Gauge.initialState)
    try await recorder.close()
    #expect(try disk.records().map(\.type) == ["@segment", "@open", "@digest", "@close"])
  }

  @Test func aStateWithNaNCanBeFrozen() async throws {
    let recorder = try open()
    let store = try recorder.makeStore()
    for number in 1...4 { try store.dispatch(action: .read(number == 3 ? .nan : Double(number))) }
    try await recorder.close()
    let history = try await History<Gauge>(at: "log", fileSystem: disk)
    for _ in 1...2 { try history.freezeBase(into: "frozen") }
    let frozen = try await History<Gauge>(at: "frozen", fileSystem: disk).state()
    #expect(frozen.readings.count == 4 && frozen.readings[2].isNaN)
  }
}

/// A model whose initial state contains a NaN.
enum Gauge: Model {
  struct State: Codable, Equatable, Sendable {
    var mean = Double.nan
    var readings: [Double] = []
  }

  enum Action: Codable, Equatable, Sendable {
    case read(Double)
  }

  static let name = "gauge"
  static let schema = 1
  static let initialState = State()

  static func reduce(into state: inout State, action: Action) {
    switch action {
    case .read(let value): state.readings.append(value)
    }
  }
}
