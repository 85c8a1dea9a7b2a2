import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import Foundation
// Without it `count` would be that of any collection.
import TreeCollections

/// The inputs of a run: actions of the seeded Animals workload and logs of them, made once and the same every time.
@MainActor final class DataSet {
  /// The directory of the logs and of the output of contenders.
  let directory: String
  let sizes: Sizes

  /// The seed of everything that is drawn.
  static let seed: UInt64 = 1

  private var actions: [Int: [AnimalsAction]] = [:]
  /// The last state of the long log, computed on first use.
  var lastState: AnimalsState?
  /// The answer of ``animalChangedOnce()``, computed on first use.
  var animalChanged: String?

  init(directory: String, sizes: Sizes) throws {
    self.directory = directory
    self.sizes = sizes
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  /// The first so many actions of the workload that the reducer accepts.
  func accepted(_ count: Int) throws -> [AnimalsAction] {
    if let actions = actions[count] { return actions }
    var accepted: [AnimalsAction] = []
    accepted.reserveCapacity(count)
    try forEachAccepted(count) { action in accepted.append(action) }
    actions[count] = accepted
    return accepted
  }

  /// The state after so many actions.
  func state(after count: Int) throws -> AnimalsState {
    try forEachAccepted(count) { _ in }
  }

  /// The first state whose tables, animals and queue together, have so many rows.
  func state(ofRows count: Int) throws -> AnimalsState {
    var state = AnimalsModel.initialState
    // Every second accepted action or so adds a row; the limit only keeps a broken workload from running for ever.
    for action in AnimalsWorkload(seed: Self.seed).prefix(100 * count) {
      do { try AnimalsModel.reduce(into: &state, action: action) } catch { continue }
      if state.animals.data.count + state.animals.queue.count >= count { return state }
    }
    throw HarnessError("the workload did not give \(count) rows")
  }

  /// The directory of a log of so many actions. Its bytes are the same in every run: times and identifiers are made up.
  func log(_ count: Int) throws -> String {
    try file("animals-\(count)") { path in
      let recording = try LogRecording(path, model: AnimalsModel.name, schema: AnimalsModel.schema)
      try forEachAccepted(count) { action in try recording.append(action) }
      try recording.close()
    }
  }

  /// A path for something that a round writes. What was there before is removed.
  func scratch(_ name: String) throws -> String {
    let path = "\(directory)/scratch-\(name)"
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    return path
  }

  /// The path of something that is made once: under another name, so that what an aborted run left is not used.
  func file(_ name: String, make: (String) throws -> Void) throws -> String {
    let path = "\(directory)/\(name)"
    guard !FileManager.default.fileExists(atPath: path) else { return path }
    let unfinished = path + ".unfinished"
    if FileManager.default.fileExists(atPath: unfinished) { try FileManager.default.removeItem(atPath: unfinished) }
    try make(unfinished)
    try FileManager.default.moveItem(atPath: unfinished, toPath: path)
    return path
  }

  /// Folds the workload and hands out the accepted actions.
  @discardableResult
  func forEachAccepted(_ count: Int, _ body: (AnimalsAction) throws -> Void) throws -> AnimalsState {
    var state = AnimalsModel.initialState
    var found = 0
    // About one action in 200 is refused; the limit only keeps a broken workload from running for ever.
    for action in AnimalsWorkload(seed: Self.seed).prefix(2 * count + 1_000) {
      do { try AnimalsModel.reduce(into: &state, action: action) } catch { continue }
      try body(action)
      found += 1
      if found == count { return state }
    }
    throw HarnessError("the workload gave only \(found) of \(count) actions")
  }
}
