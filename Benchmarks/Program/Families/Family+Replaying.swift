import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import Foundation
import ImmutableData
import TreeCollections

extension Family {
  /// The whole log to its last state, from the page cache, without snapshots; each round in a fresh process.
  @MainActor static func replaying(_ data: DataSet, _ peers: Peers) -> Family {
    let (whole, part) = (data.sizes.logActions, data.sizes.lineActions)
    func ours<M: Model>(
      _ name: String, _ model: M.Type, count: Int, cores: Int?, redactable: Bool = false
    ) -> Contender where M.State == AnimalsState {
      Contender(
        Name.replay(name), unit: "action", count: count, place: .ownProcess(cores: cores),
        agreement: "replay \(count)"
      ) {
        let history = try History<M>(at: redactable ? try data.redactableLog(count) : try data.log(count))
        var options = ReplayOptions.wholeLog
        options.decodesAhead = cores != 1
        let chosen = options
        return {
          let clock = ContinuousClock()
          let begin = clock.now
          let state = try history.state(options: chosen)
          return RoundResult(nanoseconds: (clock.now - begin).nanoseconds) { state.weight }
        }
      }
    }
    return Family(
      "replay",
      [
        Contender(
          Name.replay("JSONDecoder"), unit: "action", count: part, place: .ownProcess(cores: nil),
          agreement: "replay \(part)"
        ) {
          let lines = try data.foundationLines(part)
          return {
            let clock = ContinuousClock()
            let begin = clock.now
            let decoder = JSONDecoder()
            var state = AnimalsModel.initialState
            for line in lines {
              try AnimalsModel.reduce(into: &state, action: try decoder.decode(FoundationLine.self, from: line).action)
            }
            let end = state
            return RoundResult(nanoseconds: (clock.now - begin).nanoseconds) { end.weight }
          }
        },
        ours("direct, one core", AnimalsModel.self, count: whole, cores: 1).ifDirect,
        ours("direct, all cores", AnimalsModel.self, count: whole, cores: nil).ifDirect,
        ours("direct, salted, one core", AnimalsModel.self, count: whole, cores: 1, redactable: true).ifDirect,
        projection(data).ifDirect,
        ours("Codable, one core", CodableModel.self, count: whole, cores: 1),
        ours("Codable, all cores", CodableModel.self, count: whole, cores: nil),
        peers.contender(Name.replay("Node"), unit: "action", count: whole, peer: "node", task: "replay") {
          [try data.log(whole), "\(whole)"]
        },
      ])
  }

  /// A runner that folds the whole log with the reducer of the model, from the first action.
  @MainActor private static func projection(_ data: DataSet) -> Contender {
    let count = data.sizes.logActions
    return Contender(
      Name.projection, unit: "action", count: count, place: .ownProcess(cores: nil), agreement: "replay \(count)"
    ) {
      let path = try data.log(count)
      return {
        let clock = ContinuousClock()
        let begin = clock.now
        let runner = try await ProjectionGroup<AnimalsModel>.open(
          at: path
        ).run(AnimalsProjection.self, configuration: ProjectionConfiguration(snapshots: .never))
        try await runner.caughtUp(to: count)
        let state = await runner.current().state
        let duration = clock.now - begin
        await runner.close()
        return RoundResult(nanoseconds: duration.nanoseconds) { state.weight }
      }
    }
  }

  /// The same updates of a small, a middling and a large table.
  @MainActor static func folding(_ data: DataSet, _ peers: Peers) -> Family {
    let sizes = data.sizes
    let copied = max(4, sizes.updates / 5_000)
    var contenders: [Contender] = []
    for entities in [sizes.fewEntities, sizes.someEntities, sizes.manyEntities] {
      contenders.append(replayedUpdates(data, entities))
      contenders.append(dispatchedUpdates(data, entities))
      contenders.append(recordedUpdates(data, entities))
      contenders.append(
        Contender(Name.fold(entities, "Dictionary, copying"), unit: "action", count: copied) {
          let story = try UpdateStory(data, entities: entities, updates: copied)
          let start = DictionaryAnimals(story.state)
          return {
            let clock = ContinuousClock()
            let begin = clock.now
            var state = start
            for action in story.actions { state = state.reduced(action) }
            let end = state
            return RoundResult(nanoseconds: (clock.now - begin).nanoseconds) { end.weight }
          }
        })
      contenders.append(
        peers.contender(
          Name.fold(entities, "Node, copying"), unit: "action", count: copied, peer: "node", task: "redux"
        ) { [try data.updateLog(entities: entities), "\(copied)", "\(entities)"] })
    }
    return Family("fold", contenders)
  }

  @MainActor private static func replayedUpdates(_ data: DataSet, _ entities: Int) -> Contender {
    Contender(Name.fold(entities, "replay"), unit: "action", count: data.sizes.updates) {
      let start = try UpdateStory(data, entities: entities, updates: 0).state
      let history = try History<UpdateModel>(at: try data.updateLog(entities: entities))
      return {
        let clock = ContinuousClock()
        let begin = clock.now
        let end = try history.fold(FoldRequest(start, at: 0, to: data.sizes.updates))
        return RoundResult(nanoseconds: (clock.now - begin).nanoseconds) {
          UInt64(end.revision) << 32 | UInt64(end.state.animals.data.count)
        }
      }
    }
  }

  @MainActor private static func dispatchedUpdates(_ data: DataSet, _ entities: Int) -> Contender {
    let count = data.sizes.updates / 5
    return Contender(Name.fold(entities, "store"), unit: "action", count: count) {
      let story = try UpdateStory(data, entities: entities, updates: count)
      let store = Store(initialState: story.state, reducer: UpdateModel.reducer)
      return {
        for action in story.actions { try store.dispatch(action: action) }
        return RoundResult(hash: store.select { state in UInt64(state.animals.data.count + state.animals.queue.count) })
      }
    }
  }

  @MainActor private static func recordedUpdates(_ data: DataSet, _ entities: Int) -> Contender {
    let count = data.sizes.updates / 5
    return Contender(Name.fold(entities, "recording store"), unit: "action", count: count) {
      let story = try UpdateStory(data, entities: entities, updates: count)
      var configuration = RecordingConfiguration<UpdateModel>(snapshots: .never)
      configuration.log = LogConfiguration(durability: .written, environment: .reproducible)
      let store = try RecordingStore<UpdateModel>(
        at: try data.scratch("store"), startingAt: story.state, configuration: configuration)
      return {
        for action in story.actions { try store.dispatch(action: action) }
        let hash = store.select { state in UInt64(state.animals.data.count + state.animals.queue.count) }
        try await store.close()
        return RoundResult(hash: hash)
      }
    }
  }
}

extension ReplayOptions {
  /// From revision 0.
  static var wholeLog: ReplayOptions {
    var options = ReplayOptions()
    options.usesSnapshots = false
    return options
  }
}

/// The state of the model as a projection, so that both do the same work for each action.
private enum AnimalsProjection: Projection {
  typealias Source = AnimalsModel
  static var name: String { "benchmark" }
  static var version: Int { 1 }
  static var initialState: AnimalsState { AnimalsModel.initialState }

  static func apply(_ recorded: ProjectedAction<AnimalsAction>, to state: inout AnimalsState) {
    do { try AnimalsModel.reduce(into: &state, action: recorded.action) } catch {
      preconditionFailure("the reducer refused an action of the log: \(error)")
    }
  }
}
