import EventSourcing
import Foundation

/// A counter that can be paused: with `GATE=50000:PIPE` in its environment, the process waits at that action until a test opens
/// the pipe for writing. A test can so stop a fold halfway on any machine.
enum GatedModel: Model {
  struct State: Codable, Equatable, Sendable {
    var count = 0
  }

  enum Action: Codable, Equatable, Sendable {
    case didTick
  }

  static let name = "gated"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint: String? = ""

  private static let gate: (count: Int, pipe: String)? = {
    let parts = ProcessInfo.processInfo.environment["GATE"]?.split(separator: ":", maxSplits: 1) ?? []
    guard parts.count == 2, let count = Int(parts[0]) else { return nil }
    return (count, String(parts[1]))
  }()

  static func reduce(into state: inout State, action: Action) {
    state.count += 1
    if let gate, state.count == gate.count { close(open(gate.pipe, O_RDONLY)) }
  }
}
