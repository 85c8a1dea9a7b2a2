import JSONCoding
import TestSupport
import Testing
import TimeTravel

@Suite struct StateDiffTests {
  @Test(arguments: [
    ("1", "1", [String]()),
    ("1", "2", ["~ : 1 → 2"]),
    ("1", "1.0", ["~ : 1 → 1.0"]),
    ("{}", "[]", ["~ : {} → []"]),
    (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, []),
    (#"{"a":1,"b":2}"#, #"{"b":3,"c":4}"#, ["- /a: 1", "~ /b: 2 → 3", "+ /c: 4"]),
    (#"{"a":null}"#, #"{}"#, ["- /a: null"]),
    (#"{"a":{"b":{"c":1}}}"#, #"{"a":{"b":{"c":2}}}"#, ["~ /a/b/c: 1 → 2"]),
    (#"{"~":{"/":1}}"#, #"{"~":{"/":2,"":3}}"#, ["+ /~0/: 3", "~ /~0/~1: 1 → 2"]),
    ("{\"é\":1}", "{\"e\u{301}\":1}", ["+ /e\u{301}: 1", "- /é: 1"]),
    ("[1,2,3,4]", "[1,2,9,3,4]", ["+ /2: 9"]),
    ("[1,2,3,4]", "[1,3,4]", ["- /1: 2"]),
    ("[1,2,3]", "[1,8,3]", ["~ /1: 2 → 8"]),
    ("[1,2,3,4,5]", "[2,3,9,5,6]", ["- /0: 1", "~ /3 → /2: 4 → 9", "+ /4: 6"]),
    ("[]", "[1,2]", ["+ /0: 1", "+ /1: 2"]),
    ("[[1,2],[3,4]]", "[[0],[1,2],[3,5]]", ["+ /0: [0]", "~ /1/1 → /2/1: 4 → 5"]),
  ])
  func changesAreMinimal(old: String, new: String, expected: [String]) throws {
    let diff = try diff(old, new)
    #expect(diff.changes.map(\.description) == expected)
    #expect(diff.isEmpty == expected.isEmpty)
  }

  @Test func changedElementIsFoundNextToAnInsertion() throws {
    let diff = try diff(
      #"[{"id":"a","kind":"cat","age":1},{"id":"b","kind":"cat","age":2}]"#,
      #"[{"id":"x","kind":"dog","age":9},{"id":"a","kind":"cat","age":5},{"id":"b","kind":"cat","age":6}]"#)
    #expect(
      diff.changes.map(\.description) == [
        #"+ /0: {"age":9,"id":"x","kind":"dog"}"#, "~ /0/age → /1/age: 1 → 5", "~ /1/age → /2/age: 2 → 6",
      ])
  }

  @Test func everyElementOfALongArrayCanChange() throws {
    let old = StateTree(.array((0..<5_000).map { number in ["id": .number(JSONNumber(number)), "n": 0] }))
    let new = StateTree(.array((0..<5_000).map { number in ["id": .number(JSONNumber(number)), "n": 1] }))
    let diff = StateDiff(from: old, to: new)
    #expect(diff.changes.count == 5_000)
    #expect(diff.changes.allSatisfy { change in change.pointer.tokens.last == "n" })
  }

  @Test func insertionsAreFoundBeyondTheEditLimit() throws {
    let old = (0..<20_000).map { number in JSONValue.number(JSONNumber(number)) }
    let new = old.enumerated().flatMap { place, value -> [JSONValue] in
      place % 10 == 5 ? ["new", value] : [value]
    }
    let diff = StateDiff(from: StateTree(.array(old)), to: StateTree(.array(new)))
    #expect(diff.changes.count == 2_000)
    #expect(diff.changes.allSatisfy { change in change.kind == .added })
  }

  @Test func sharedStorageIsNotVisited() throws {
    let shared = JSONValue.array((0..<10_000).map { number in .number(JSONNumber(number)) })
    let diff = StateDiff(from: StateTree(["big": shared, "n": 1]), to: StateTree(["big": shared, "n": 2]))
    #expect(diff.changes.map(\.description) == ["~ /n: 1 → 2"])
    #expect(diff.nodesCompared <= 3)
  }

  @Test func equalPartsAreVisitedOnce() throws {
    let elements = (0..<1_000).map { number in JSONValue.object(["id": .number(JSONNumber(number))]) }
    let diff = StateDiff(from: StateTree(["list": .array(elements)]), to: StateTree(["list": .array(elements + [nil])]))
    #expect(diff.changes.map(\.pointer.description) == ["/list/1000"])
    // The two containers, then an object and a number for each element.
    #expect(diff.nodesCompared == 2_002)
  }

  @Test func statesAreComparedThroughTheirCanonicalForms() throws {
    let diff = try StateDiff(encoding: ["a": Set([3, 1, 2])], to: ["a": Set([1, 4, 3, 2])])
    #expect(diff.changes.map(\.description) == ["+ /a/3: 4"])
  }

  @Test(arguments: Seeds.batches)
  func onlyEqualStatesHaveNoDifference(batch: UInt64) {
    for seed in Seeds.batch(batch, of: 2000) {
      var generator = JSONGenerator(seed: seed)
      let old = generator.value()
      let new = generator.changing(old)
      #expect(StateDiff(from: StateTree(old), to: StateTree(old)).isEmpty, "seed \(seed)")
      #expect(StateDiff(from: StateTree(old), to: StateTree(new)).isEmpty == (old == new), "seed \(seed)")
    }
  }

  @Test(arguments: Seeds.batches)
  func changesHoldTheValuesAtTheirPointers(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 1000) {
      var generator = JSONGenerator(seed: seed)
      let old = StateTree(generator.value())
      let new = StateTree(generator.changing(old.root))
      for change in StateDiff(from: old, to: new).changes {
        #expect(change.old == change.oldPointer.flatMap { pointer in old[pointer] }, "seed \(seed)")
        #expect(change.new == change.newPointer.flatMap { pointer in new[pointer] }, "seed \(seed)")
        #expect(change.old != change.new, "seed \(seed)")
        #expect((change.old == nil) == (change.kind == .added), "seed \(seed)")
        #expect((change.new == nil) == (change.kind == .removed), "seed \(seed)")
      }
    }
  }

  @Test(arguments: Seeds.batches)
  func changesAreCountedAndLimited(batch: UInt64) {
    for seed in Seeds.batch(batch, of: 1000) {
      var generator = JSONGenerator(seed: seed)
      let tree = StateTree(generator.value())
      let diff = StateDiff(from: tree, to: StateTree(generator.changing(tree.root)))
      let expected = diff.changes
      #expect((diff.edit?.changeCount ?? 0) == expected.count, "seed \(seed)")
      let limit = generator.number(in: 0..<expected.count + 2)
      #expect((diff.edit?.changes(limit: limit) ?? []) == Array(expected.prefix(limit)), "seed \(seed)")
    }
  }

  /// The reference is a search of all elements.
  @Test(arguments: 1...200) func elementsAreFoundByTheirNewIndex(seed: UInt64) throws {
    var generator = JSONGenerator(seed: seed)
    let old = (0..<12).map { number in JSONValue.object(["id": .number(JSONNumber(number))]) }
    var new: [JSONValue] = []
    for value in old {
      switch generator.number(in: 0..<5) {
      case 0: break
      case 1: new += [value, "added"]
      case 2: new.append("replaced")
      default: new.append(value)
      }
    }
    guard case .array(let elements)? = StateDiff(from: StateTree(.array(old)), to: StateTree(.array(new))).edit else {
      return try #require(old == new)
    }
    for index in 0...new.count {
      let found = StateEdit.array(elements)[String(index)]
      let expected = elements.first { element in element.new == index }?.edit
      #expect(String(describing: found) == String(describing: expected), "seed \(seed), index \(index)")
    }
  }
}
