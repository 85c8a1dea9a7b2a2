import AnimalsData
import EventSourcing
import JSONCoding
import QuakesData
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// Diffs of states that share rows: the result of complete states, at the cost of the changes.
@Suite struct SharedRowsTests {
  /// Fails unless two states differ as their complete trees do.
  private func expectSameAsWhole<State: Encodable & Sendable>(
    _ old: State, _ new: State, _ comment: Comment? = nil, location: SourceLocation = #_sourceLocation
  ) throws {
    let whole = StateDiff(from: try StateTree(encoding: old), to: try StateTree(encoding: new))
    let diff = try StateDiff(encoding: old, to: new)
    #expect(diff.changes == whole.changes, comment, sourceLocation: location)
    #expect(diff.isEmpty == whole.isEmpty, comment, sourceLocation: location)
    #expect(diff.old == whole.old && diff.new == whole.new, comment, sourceLocation: location)
    #expect(diff.description == whole.description, comment, sourceLocation: location)
    #expect(diff.jsonPatch() == whole.jsonPatch(), comment, sourceLocation: location)
  }

  /// Folds actions, and compares each state with its neighbor and with a few earlier ones.
  private func walk<M: Model>(_ model: M.Type, _ actions: some Sequence<M.Action>, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var states = [M.initialState]
    for action in actions {
      do { states.append(try M.reducer(states[states.count - 1], action)) } catch { continue }
      let last = states.count - 1
      try expectSameAsWhole(states[last - 1], states[last], "seed \(seed), state \(last)")
      guard last % 16 == 0 else { continue }
      let other = Int.random(in: 0..<last, using: &generator)
      try expectSameAsWhole(states[last], states[other], "seed \(seed), states \(last) and \(other)")
    }
    #expect(states.count > 100)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func animalsDifferAsTheirCompleteStates(seed: UInt64) throws {
    try walk(AnimalsModel.self, AnimalsWorkload(seed: seed).prefix(150), seed: seed)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func quakesDifferAsTheirCompleteStates(seed: UInt64) throws {
    try walk(QuakesModel.self, QuakesWorkload(seed: seed).prefix(120), seed: seed)
  }

  @Test(arguments: Seeds.batches)
  func nestedDictionariesDifferAsCompleteStates(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 80) {
      var generator = SeededGenerator(seed: seed)
      var yard = Yard()
      for step in 0..<12 {
        let old = yard
        for _ in 0..<Int.random(in: 0...3, using: &generator) { yard.change(using: &generator) }
        try expectSameAsWhole(old, yard, "seed \(seed), step \(step)")
      }
    }
  }

  @Test(arguments: Seeds.batches)
  func unsharedStatesAreComparedCompletely(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 40) {
      var generator = SeededGenerator(seed: seed)
      // The zoo has classes, so it is not sent; both sides are made from its tree.
      let (old, new) = (Zoo(using: &generator), Zoo(using: &generator))
      let whole = StateDiff(from: try StateTree(encoding: old), to: try StateTree(encoding: new))
      #expect(try StateDiff(encoding: old, to: new).changes == whole.changes, "seed \(seed)")
      let parts = try StateDiff(encoding: Parcel(old), to: Parcel(new))
      #expect(parts.changes == whole.changes, "seed \(seed)")
      #expect(parts.nodesCompared == whole.nodesCompared, "seed \(seed)")
    }
  }
}

// MARK: - Visited values

extension SharedRowsTests {
  private static let rowCount = 100_000

  private func yard() -> Yard {
    var yard = Yard()
    yard.rows = TreeDictionary(uniqueKeysWithValues: (0..<Self.rowCount).map { ("row \($0)", Yard.Row(number: $0)) })
    return yard
  }

  @Test func changedRowIsFoundWithoutTheOthers() throws {
    let old = yard()
    var new = old
    new.rows["row 4711"]?.number = -1
    let diff = try StateDiff(encoding: old, to: new)
    #expect(diff.changes.map(\.pointer.description) == ["/rows/row 4711/number"])
    // The path to the row in both trees: a node for each four bits of the hash of 100 000 rows, and the members of the state.
    #expect(diff.nodesCompared <= 60, "\(diff.nodesCompared) nodes were visited")
  }

  @Test func equalStatesAreNotVisited() throws {
    let old = yard()
    let diff = try StateDiff(encoding: old, to: old)
    #expect(diff.isEmpty)
    #expect(diff.nodesCompared <= 20, "\(diff.nodesCompared) nodes were visited")
  }

  @Test func costGrowsWithTheChanges() throws {
    let old = yard()
    var new = old
    for number in 0..<1_000 { new.rows["row \(number * 7)"] = nil }
    let diff = try StateDiff(encoding: old, to: new)
    #expect(diff.changes.count == 1_000)
    #expect(diff.nodesCompared < 20_000, "\(diff.nodesCompared) nodes were visited")
  }

  @Test func onlyEncodedPartsCanFail() throws {
    var old = TreeDictionary(uniqueKeysWithValues: (0..<100).map { ("\($0)", Stubborn(number: $0)) })
    old["bad"] = Stubborn(number: -1)
    var new = old
    new["7"] = Stubborn(number: 70)
    let diff = try StateDiff(encoding: old, to: new)
    #expect(diff.changes.map(\.pointer.description) == ["/7"])
    // The complete state has no JSON, the change has.
    #expect(diff.old == StateTree(["7": 7]))
    #expect(diff.new == StateTree(["7": 70]))
    new["7"] = Stubborn(number: -2)
    #expect(throws: Stubborn.Refusal.self) { try StateDiff(encoding: old, to: new) }
  }
}

/// A value that cannot always be encoded.
private struct Stubborn: Encodable, Equatable, Sendable {
  struct Refusal: Error {}

  var number: Int

  func encode(to encoder: any Encoder) throws {
    guard number >= 0 else { throw Refusal() }
    try number.encode(to: encoder)
  }
}

/// A value of any type.
private struct Parcel<Content: Encodable>: Encodable, @unchecked Sendable {
  // The test uses it on one thread only.
  let content: Content

  init(_ content: Content) {
    self.content = content
  }

  func encode(to encoder: any Encoder) throws {
    try content.encode(to: encoder)
  }
}
