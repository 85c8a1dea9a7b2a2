import ActionLog
import ActionLogTesting
import EventSourcing
import Platform
import TestSupport
import Testing

/// One state of all logs of a set.
@MainActor @Suite struct LogSetProjectionTests {
  private let disk = MemoryFileSystem()

  private func open(durability: Durability = .synced) async throws -> LogSet<Tally> {
    try await LogSet<Tally>.open(
      at: "set",
      configuration: LogSetConfiguration(recording: reproducible(Tally.self, durability: durability), openLimit: 4),
      fileSystem: disk)
  }

  private func add(_ number: Int, to key: String, in set: LogSet<Tally>) async throws {
    _ = try await set.withStore(for: key) { store in
      try await store.dispatch(action: .add(number), awaiting: .synced)
    }
  }

  @Test func actionsOfAllLogsAreFoldedOnce() async throws {
    let set = try await open()
    let projection = LogSetProjection<KeyedSums>(of: set)
    for number in 1...5 {
      for key in ["ann", "bob", "cid"] { try await add(number, to: key, in: set) }
    }
    #expect(try await projection.refresh() == 15)
    #expect(await projection.state.sums == ["ann": 15, "bob": 15, "cid": 15])
    #expect(await projection.revisions == ["ann": 5, "bob": 5, "cid": 5])
    #expect(try await projection.refresh() == 0)
    try await add(100, to: "bob", in: set)
    try await add(1_000, to: "dan", in: set)
    // Only the named log is read.
    #expect(try await projection.refresh(["bob"]) == 1)
    #expect(try await projection.refresh() == 1)
    #expect(await projection.state.sums == ["ann": 15, "bob": 115, "cid": 15, "dan": 1_000])
    #expect(try await projection.rebuild() == 17)
    #expect(await projection.state.sums == ["ann": 15, "bob": 115, "cid": 15, "dan": 1_000])
    try await set.close()
  }

  @Test func actionsAreMergedByTime() async throws {
    let set = try await open()
    // One clock for all logs, so the order of dispatching is that of the times.
    for number in 1...30 { try await add(number, to: number % 2 == 0 ? "even" : "odd", in: set) }
    let projection = LogSetProjection<KeyedSums>(of: set)
    try await projection.refresh()
    #expect(await projection.state.order == Array(1...30))
    try await set.close()
  }

  @Test func longLogsTakeSeveralWindows() async throws {
    let count = 2 * LogSetProjection<KeyedSums>.windowActions + 7
    let set = try await open(durability: .written)
    for key in ["ann", "bob"] {
      try await set.withStore(for: key) { store in
        for number in 1...count { try store.dispatch(action: .add(number)) }
        try await store.sync()
      }
    }
    let projection = LogSetProjection<KeyedSums>(of: set)
    #expect(try await projection.refresh() == 2 * count)
    #expect(await projection.revisions == ["ann": count, "bob": count])
    let sum = count * (count + 1) / 2
    #expect(await projection.state.sums == ["ann": sum, "bob": sum])
    try await set.close()
  }

  @Test func rebuildingAmongRefreshesLosesNothing() async throws {
    let set = try await open()
    for number in 1...3 { try await add(number, to: "ann", in: set) }
    let projection = LogSetProjection<KeyedSums>(of: set)
    for round in 1...20 {
      // Each waits for those before it; none may continue in a state that another one has reset.
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 1...4 { group.addTask { try await projection.refresh() } }
        group.addTask { try await projection.rebuild() }
        for _ in 1...4 { group.addTask { try await projection.refresh() } }
        try await group.waitForAll()
      }
      #expect(await projection.state.sums == ["ann": 6], "round \(round)")
      #expect(await projection.revisions == ["ann": 3], "round \(round)")
    }
    try await set.close()
  }

  @Test func concurrentRefreshesFoldOnce() async throws {
    let set = try await open()
    for number in 1...20 { try await add(number, to: "key\(number % 3)", in: set) }
    let projection = LogSetProjection<KeyedSums>(of: set)
    async let first = projection.refresh()
    async let second = projection.refresh()
    #expect(try await first + second == 20)
    #expect(await projection.state.order.count == 20)
    try await set.close()
  }

  @Test func aDamagedLogCostsOnlyItself() async throws {
    let set = try await open()
    for key in ["ann", "bob"] { for number in 1...3 { try await add(number, to: key, in: set) } }
    let path = try await set.history(for: "bob").path
    try await set.close()
    let segment = path + "/0000000000000001.jsonl"
    try disk.flipBit(0, ofByte: 30, in: segment)
    let reopened = try await open()
    let projection = LogSetProjection<KeyedSums>(of: reopened)
    try await projection.refresh()
    #expect(await projection.state.sums == ["ann": 6])
    #expect(await Array(projection.failures.keys) == ["bob"])
    try await reopened.close()
  }
}

/// The sum of each log, and the numbers in the order in which they were folded.
enum KeyedSums: Projection {
  typealias Source = Tally
  struct State: Codable, Equatable, Sendable {
    var sums: [String: Int] = [:]
    var order: [Int] = []
  }

  static var name: String { "keyed" }
  static var version: Int { 1 }
  static var initialState: State { State() }

  static func apply(_ recorded: ProjectedAction<TallyAction>, to state: inout State) {
    guard case .add(let number) = recorded.action else { return }
    state.sums[recorded.key ?? "", default: 0] += number
    state.order.append(number)
  }
}
