import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Testing

// The code of ActionLogTesting.md, between marks, so that it is compiled and run. `PageCodeTests` compares the two.
// `PublicInterfaceTests` compiles it as another package would.

// begin: model
enum Account: Model {
  struct State: Codable, Equatable, Sendable { var balance = 0 }

  enum Action: Codable, Equatable, Sendable {
    case didDeposit(Int)
    case didWithdraw(Int)
  }

  struct Overdrawn: Error {}

  static let name = "account"
  static let schema = 1
  static let initialState = State()

  static func reduce(into state: inout State, action: Action) throws {
    switch action {
    case .didDeposit(let amount): state.balance += amount
    case .didWithdraw(let amount):
      guard state.balance >= amount else { throw Overdrawn() }
      state.balance -= amount
    }
  }
}
// end: model

@Suite("A crash at every call") struct CrashExample {
  // begin: program
  /// The actions that the program dispatches.
  let actions: [Account.Action] = [.didDeposit(100), .didWithdraw(30), .didDeposit(5), .didWithdraw(75)]

  /// Runs the program until it ends or fails, and returns the acknowledged actions.
  @MainActor func run(on files: any LogFileSystem) async -> [Account.Action] {
    var acknowledged: [Account.Action] = []
    do {
      let store = try await RecordingStore<Account>.open(at: "account", fileSystem: files)
      for action in actions {
        _ = try await store.dispatch(action: action, awaiting: .synced)
        acknowledged.append(action)
      }
      try await store.close()
    } catch {
      // The machine has stopped. Nothing more is acknowledged.
    }
    return acknowledged
  }
  // end: program

  // begin: test
  @MainActor @Test func acknowledgedActionsSurviveACrashAtEveryCall() async throws {
    var call = 0
    var isComplete = false
    while !isComplete {
      call += 1
      let disk = MemoryFileSystem()
      let files = FaultyFileSystem(disk, faults: [.stop(atCall: call)])
      let acknowledged = await run(on: files)
      isComplete = files.firedCount == 0

      for seed in 0..<UInt64(5) {
        let store = try await RecordingStore<Account>.open(
          at: "account", fileSystem: disk.crash(CrashModel(seed: seed)))
        let count = store.restored.revision
        let kept = Array(actions.prefix(count))
        #expect(kept.starts(with: acknowledged), "stopped at call \(call), seed \(seed)")
        #expect(count <= acknowledged.count + 1, "stopped at call \(call), seed \(seed)")
        var expected = Account.initialState
        for action in kept { try Account.reduce(into: &expected, action: action) }
        #expect(store.state == expected, "stopped at call \(call), seed \(seed)")
        _ = try await store.dispatch(action: .didDeposit(1), awaiting: .synced)
        try await store.close()
      }
    }
    #expect(call > actions.count, "every action makes calls")
  }
  // end: test
}
