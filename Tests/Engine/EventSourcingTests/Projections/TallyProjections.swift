import ActionLog
import EventSourcing
import Platform

/// A projection that reads everything it can see of a record.
protocol TallyProjection: Projection where Source == Tally, State == TallyTotals {}

struct TallyTotals: Codable, Equatable, Sendable {
  var actions = 0
  var sum = 0
  /// The sums by actor.
  var actors: [String: Int] = [:]
  var lastRevision = 0
  var lastTime: Int64 = 0
  /// The sum of the state that the log began with.
  var base = 0
}

extension TallyProjection {
  static var name: String { "totals" }
  static var version: Int { 1 }
  static var initialState: TallyTotals { TallyTotals() }

  static func state(startingFrom base: TallyState) -> TallyTotals { TallyTotals(base: base.sum) }

  static func apply(_ recorded: ProjectedAction<TallyAction>, to state: inout TallyTotals) {
    state.actions += 1
    state.lastRevision = recorded.revision
    state.lastTime = recorded.time.microseconds
    guard case .add(let number) = recorded.action else { return }
    state.sum += number
    if let actor = recorded.meta.actor { state.actors[actor, default: 0] += number }
  }
}

/// The totals of a tally.
enum Totals: TallyProjection {}

/// The same projection with another version.
enum NewTotals: TallyProjection {
  static var version: Int { 2 }
}

/// The same projection with a fingerprint of its sources.
enum SealedTotals: TallyProjection {
  static let fingerprint = Locked("first")
  static var name: String { "sealed" }
  static var sourceFingerprint: String? { fingerprint.withLock { text in text } }
}

/// A projection of the same log with another name.
enum OtherTotals: TallyProjection {
  static var name: String { "other" }
}

/// A projection whose name would leave its folder.
enum EscapingTotals: TallyProjection {
  static var name: String { "../snapshots" }
}

/// A projection that depends on more than its arguments.
enum RandomTotals: TallyProjection {
  static var name: String { "random" }

  static func apply(_ recorded: ProjectedAction<TallyAction>, to state: inout TallyTotals) {
    state.sum = Int.random(in: 0..<1_000_000)
  }
}

/// A projection whose state does not encode.
enum FragileTotals: Projection {
  typealias Source = Tally
  struct State: Codable, Equatable, Sendable {
    var count = 0

    func encode(to encoder: any Encoder) throws {
      if count > 0 { throw TallyError(code: .negative) }
      var container = encoder.singleValueContainer()
      try container.encode(count)
    }

    init() {}

    init(from decoder: any Decoder) throws { count = try decoder.singleValueContainer().decode(Int.self) }
  }

  static var name: String { "fragile" }
  static var version: Int { 1 }
  static var initialState: State { State() }
  static func apply(_ recorded: ProjectedAction<TallyAction>, to state: inout State) { state.count += 1 }
}

/// A projection that waits at a gate before each action.
enum GatedTotals: TallyProjection {
  static let gate = Gate()
  static var name: String { "gated" }

  static func apply(_ recorded: ProjectedAction<TallyAction>, to state: inout TallyTotals) {
    gate.pass()
    Totals.apply(recorded, to: &state)
  }
}

/// A projection of a model that does not have the actions of the log.
enum ClearingTotals: Projection {
  typealias Source = OtherTally
  static var name: String { "clearing" }
  static var version: Int { 1 }
  static var initialState: Int { 0 }
  static func apply(_ recorded: ProjectedAction<OtherTally.Action>, to state: inout Int) { state += 1 }
}

/// A timer that a test advances.
final class HandTimer: Sendable {
  private let calls = Locked<[Int: @Sendable () -> Void]>([:])
  private let count = Locked(0)

  var schedule: LogEnvironment.Schedule {
    { [self] _, body in
      let id = count.withLock { count in
        count += 1
        return count
      }
      calls.withLock { calls in calls[id] = body }
      return { [self] in calls.withLock { calls in calls[id] = nil } }
    }
  }

  /// The number of calls that wait.
  var waitingCount: Int { calls.withLock { calls in calls.count } }

  /// Makes the calls that wait.
  func fire() {
    let due = calls.withLock { calls in
      defer { calls = [:] }
      return calls.values
    }
    for call in due { call() }
  }
}

/// Folds actions into totals without the engine.
///
/// - Parameter actor: Returns the actor of a revision.
func totals(
  _ records: [LogRecord], through last: Int = .max, from base: TallyTotals = TallyTotals()
) throws -> TallyTotals {
  var state = base
  for record in records where !record.isControl && record.revision <= last {
    state.actions += 1
    state.lastRevision = record.revision
    state.lastTime = record.time.microseconds
    if case .add(let number) = try ActionCoding.decode(TallyAction.self, from: record) {
      state.sum += number
      if let actor = try RecordMeta(of: record).actor { state.actors[actor, default: 0] += number }
    }
  }
  return state
}
