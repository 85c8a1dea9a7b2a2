import EventSourcing
import Foundation

/// A counter whose later actions end or stop the process that folds them, if `FRAGILE` is in its environment: a test records them
/// without it.
enum FragileModel: Model {
  struct State: Codable, Equatable, Sendable {
    var count = 0
  }

  enum Action: Codable, Equatable, Sendable {
    case didTick
    case didTrap
    case didHang
  }

  static let name = "fragile"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint: String? = ""

  private static let isFragile = ProcessInfo.processInfo.environment["FRAGILE"] != nil

  static func reduce(into state: inout State, action: Action) {
    state.count += 1
    guard isFragile else { return }
    switch action {
    case .didTick: break
    case .didTrap: fatalError("the reducer of the test traps")
    case .didHang: while true { pause() }
    }
  }

  /// Ticks; seed 2 adds a trap, seed 3 an action that never ends.
  static func workload(seed: UInt64, count: Int) -> [Action] {
    Array(repeating: .didTick, count: count) + (seed == 2 ? [.didTrap] : seed == 3 ? [.didHang] : [])
  }
}
