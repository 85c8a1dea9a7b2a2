import ActionLog
import ActionLogMaintenance
import AnimalsData
import BenchmarkKit
import Foundation
import TreeCollections

/// The pieces of work whose instructions are counted.
enum CountedWork: String, CaseIterable {
  case decode
  case decodeCodable = "decode, Codable"
  case encode
  case encodeCodable = "encode, Codable"
  case verify
  case map = "update of a TreeDictionary"

  /// The divisor of the instruction count.
  var unit: String { self == .map ? "update" : "line" }
}

/// Does a fixed amount of work; callgrind counts ``countedWork(_:)``.
@MainActor struct WorkCommand {
  private let arguments: Arguments

  /// Enough for what happens once to vanish among what happens for each line: with 2 000 lines, resolving the path of the log was a
  /// twentieth of what a line of `verify` seemed to cost.
  static let count = 20_000

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() throws {
    guard let work = arguments.operands.first.flatMap(CountedWork.init), let directory = arguments.data else {
      throw ArgumentError("'work' needs a piece of work and --data DIR")
    }
    let count = Self.count
    let data = try DataSet(directory: directory, sizes: .smoke)
    let path = try data.log(count)
    let reader = try LogReader.open(at: path)
    switch work {
    case .decode:
      try counted { try decodeLines(of: reader, ActionCoder<AnimalsAction>()) { action in action.weight } }
    case .decodeCodable:
      try counted { try decodeLines(of: reader, ActionCoder<CodableAction>()) { action in action.action.weight } }
    case .encode:
      let actions = try data.accepted(count)
      try counted { try encodeLines(actions) }
    case .encodeCodable:
      let actions = try data.accepted(count).map(CodableAction.init)
      try counted { try encodeLines(actions) }
    case .map:
      let story = MapStory(entries: 20_000, updates: count)
      var map = TreeDictionary(uniqueKeysWithValues: story.entries)
      try counted {
        for animal in story.updates { map[animal.animalId] = animal }
        return MapStory.weight(story.updates)
      }
    case .verify:
      try counted { UInt64(try LogVerifier.verify(at: path).actionCount) }
    }
  }

  /// Does the work once to fill caches of every kind, and once to be counted.
  private func counted(_ work: () throws -> UInt64) throws {
    let hash = try work()
    guard try countedWork(work) == hash else { throw HarnessError("the work gives another result each time") }
  }
}

/// Calls a closure. Callgrind counts while this function runs, and finds it by its name.
@inline(never) func countedWork(_ work: () throws -> UInt64) rethrows -> UInt64 {
  // The call is not the last thing that happens, so that it cannot become a jump.
  let result = try work()
  return opaque(result)
}
