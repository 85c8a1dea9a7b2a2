import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import Foundation
import ImmutableData
import TreeCollections

extension Family {
  /// A projection that is rebuilt from the long log and then follows a recorder into which actions are dispatched at a fixed rate.
  @MainActor static func liveProjection(_ data: DataSet) -> Family {
    let (whole, live) = (data.sizes.logActions, data.sizes.liveActions)
    return Family(
      "live projection",
      [
        Contender(
          Name.liveProjection, unit: "action", count: live, place: .ownProcess(cores: nil), roundLimit: 3
        ) {
          let path = try data.scratch("live")
          try FileManager.default.copyItem(atPath: try data.fingerprintedLog(), toPath: path)
          let recorder = try await Recorder<FingerprintedModel>.open(at: path)
          let store = try recorder.makeStore()
          let animals = store.select { state in state.animals.data.values.prefix(1_000).map { animal in animal } }
          let actions = (0..<live).map { number in
            let animal = animals[number % animals.count]
            return AnimalsAction.data(
              .persistentSession(
                .didUpdateAnimal(
                  animalId: animal.id,
                  result: .success(
                    animal: Animal(
                      animalId: animal.id, name: "Version \(number)", diet: animal.diet, categoryId: animal.categoryId))
                )))
          }
          return {
            let runner = try await ProjectionGroup.open(
              on: recorder
            ).run(ActionCount.self, configuration: ProjectionConfiguration(snapshots: .never))
            try await runner.caughtUp(to: whole)
            let observation = Task.detached { await Arrivals(of: runner, through: whole + live) }
            let begin = SystemClock.now
            var sent: [(revision: Int, time: Double)] = []
            for (index, action) in actions.enumerated() {
              try store.dispatch(action: action)
              guard (index + 1) % LivePace.batch == 0 || index + 1 == live else { continue }
              sent.append((whole + index + 1, SystemClock.now))
              let ahead = begin + Double(sent.count) * LivePace.nanoseconds - SystemClock.now
              if ahead > 0 { try await Task.sleep(for: .nanoseconds(Int64(ahead))) }
            }
            let duration = SystemClock.now - begin
            try await recorder.sync()
            let arrivals = await observation.value
            let lags = try sent.map { revision, time in try arrivals.time(of: revision) - time }
            await runner.close()
            try await recorder.close()
            var metrics = lags.percentiles
            metrics["actionsPerSecond"] = Double(live) / duration * 1e9
            return RoundResult(hash: UInt64(whole + live), nanoseconds: duration, metrics: metrics)
          }
        }
      ])
  }
}

/// 100 000 actions a second, in batches of 1 000.
private enum LivePace {
  static let batch = 1_000
  static let nanoseconds = 1e7
}

/// The number of actions, which is the revision.
private enum ActionCount: Projection {
  typealias Source = FingerprintedModel
  static var name: String { "count" }
  static var version: Int { 1 }
  static var initialState: Int { 0 }
  static func apply(_ recorded: ProjectedAction<AnimalsAction>, to state: inout Int) { state += 1 }
}

/// The times at which the states of a projection arrived.
private struct Arrivals {
  private var states: [(revision: Int, time: Double)] = []

  /// Observes a projection until it has folded a revision or has ended.
  init(of runner: ProjectionRunner<ActionCount>, through last: Int) async {
    for await revision in runner.states {
      states.append((revision, SystemClock.now))
      if revision >= last { return }
    }
  }

  /// The time of the first state that includes an action.
  func time(of revision: Int) throws -> Double {
    guard let state = states.first(where: { state in state.revision >= revision }) else {
      throw HarnessError("the projection ended before revision \(revision)")
    }
    return state.time
  }
}
