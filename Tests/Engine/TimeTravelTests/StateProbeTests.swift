import AnimalsData
import Foundation
import JSONCoding
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// A probe returns what the complete tree returns, for every shape of `Codable` types.
@Suite struct StateProbeTests {
  @Test(arguments: Seeds.batches) func probeFindsTheValuesOfTheTree(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 8) {
      var generator = SeededGenerator(seed: seed)
      let zoo = Zoo(using: &generator)
      let tree = try StateTree(encoding: zoo)
      let paths = tree.root.paths()
      for pointer in paths {
        #expect(try StateProbe<Zoo>(pointer).value(in: zoo) == tree[pointer], "seed \(seed), \(pointer)")
        // A member or element that probably does not exist.
        let missing = pointer.appending("no such member")
        #expect(try StateProbe<Zoo>(missing).value(in: zoo) == tree[missing], "seed \(seed), \(missing)")
      }
      for pointer in paths.prefix(100) {
        let counted = try StateProbe<Zoo>(pointer).count(in: zoo)
        #expect(counted == Self.count(tree[pointer]), "seed \(seed), \(pointer)")
      }
    }
  }

  @Test func oneProbeAnswersForManyStates() throws {
    let probe = StateProbe<[String: [Int]]>(JSONPointer(["b", "1"]))
    #expect(try probe.value(in: ["a": [1, 2], "b": [3, 4]]) == 4)
    #expect(try probe.value(in: ["a": [1, 2], "b": [3]]) == nil)
    #expect(try probe.value(in: ["b": [5, 6, 7]]) == 6)
    #expect(try probe.value(in: [:]) == nil)
  }

  @Test func namesAreComparedByteByByte() throws {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    for table in [[composed: 1], [decomposed: 1]] {
      let tree = try StateTree(encoding: table)
      let persistent = TreeDictionary(table)
      for name in [composed, decomposed] {
        let pointer = JSONPointer([name])
        #expect(try StateProbe<[String: Int]>(pointer).value(in: table) == tree[pointer])
        #expect(try StateProbe<TreeDictionary<String, Int>>(pointer).value(in: persistent) == tree[pointer])
      }
    }
  }

  /// Encoding anything except the one row fails.
  private struct Row: Encodable, Equatable {
    final class Counter { var count = 0 }
    let counter: Counter
    var name: String

    func encode(to encoder: any Encoder) throws {
      counter.count += 1
      var container = encoder.container(keyedBy: JSONCodingKeyForTests.self)
      try container.encode(name, forKey: .name)
    }

    static func == (left: Row, right: Row) -> Bool { left.name == right.name }
  }

  private enum JSONCodingKeyForTests: String, CodingKey { case name }

  @Test func oneRowOfATableIsRead() throws {
    let counter = Row.Counter()
    let rows = (0..<100_000).map { index in ("row\(index)", Row(counter: counter, name: "\(index)")) }
    let probe = JSONPointer(["row77777", "name"])
    let persistent = TreeDictionary(uniqueKeysWithValues: rows)
    #expect(try StateProbe<TreeDictionary<String, Row>>(probe).value(in: persistent) == "77777")
    #expect(counter.count == 1)
    let plain = Dictionary(uniqueKeysWithValues: rows)
    #expect(try StateProbe<[String: Row]>(probe).value(in: plain) == "77777")
    #expect(counter.count == 2)
    #expect(try StateProbe<TreeDictionary<String, Row>>(.root).count(in: persistent) == 100_000)
    #expect(try StateProbe<[String: Row]>(.root).count(in: plain) == 100_000)
    #expect(counter.count == 2)
  }

  @Test func unchangedRowIsNotEncodedAgain() throws {
    let counter = Row.Counter()
    var rows = TreeDictionary(
      uniqueKeysWithValues: (0..<1_000).map { index in ("row\(index)", Row(counter: counter, name: "\(index)")) })
    let probe = StateProbe<TreeDictionary<String, Row>>(JSONPointer(["row5"]))
    for version in 0..<50 {
      rows["row\(100 + version)"]?.name = "touched"
      #expect(try probe.value(in: rows) == ["name": "5"])
    }
    #expect(counter.count == 1)
    rows["row5"]?.name = "other"
    #expect(try probe.value(in: rows) == ["name": "other"])
    rows["row5"] = nil
    #expect(try probe.value(in: rows) == nil)
    rows["row5"] = Row(counter: counter, name: "5")
    #expect(try probe.value(in: rows) == ["name": "5"])
    #expect(counter.count == 3)
  }

  private enum Phase: Codable, Equatable {
    case idle
    case failed(error: String, tries: [Int])
  }

  private struct Jobs: Encodable {
    var phases: TreeDictionary<String, Phase>
    var wrapped: [Phase]
    var others: [Int]
  }

  /// The coding that the compiler makes for an enum with associated values has nested containers: only such a value is encoded, and again
  /// only after it changed.
  @Test func onlyAValueWithAnUnusualCodingIsEncoded() throws {
    var jobs = Jobs(phases: [:], wrapped: [.idle, .failed(error: "no", tries: [7])], others: Array(0..<10_000))
    for index in 0..<1_000 { jobs.phases["job\(index)"] = .failed(error: "e\(index)", tries: [index]) }
    for (tokens, value, bytes) in [
      (["phases", "job5", "failed", "error"], "e5", 41), (["phases", "job5", "failed", "tries", "0"], 5, 41),
      (["wrapped", "1", "failed", "tries", "0"], 7, 41), (["phases", "job5", "idle"], nil, 41),
    ] as [([String], JSONValue?, Int)] {
      let probe = StateProbe<Jobs>(JSONPointer(tokens))
      var jobs = jobs
      for version in 0..<10 {
        jobs.phases["job\(100 + version)"] = .idle
        #expect(try probe.value(in: jobs) == value, "\(tokens)")
      }
      #expect(probe.bytesEncoded <= bytes && probe.bytesEncoded > 0, "\(tokens): \(probe.bytesEncoded)")
      #expect(
        try probe.count(in: jobs)
          == value.flatMap { value in if case .string(let text) = value { text.count } else { nil } })
      jobs.phases["job5"] = .failed(error: "other", tries: [9])
      jobs.wrapped[1] = .failed(error: "", tries: [9])
      let changed = try probe.value(in: jobs)
      #expect(try changed == StateTree(encoding: jobs)[JSONPointer(tokens)] && (value == nil || changed != value))
    }
  }

  /// A value with storage of its own, which is written in place unless it is shared.
  private struct Shelf: Encodable, Equatable {
    var label: String
    var books: [Int]
  }

  @Test func changesInPlaceAreSeen() throws {
    var label = "a label that is too long to be stored without the heap"
    label.reserveCapacity(200)
    var books = [1, 2, 3]
    books.reserveCapacity(100)
    var shelves: TreeDictionary = ["a": Shelf(label: label, books: books), "b": Shelf(label: "b", books: [])]
    (label, books) = ("", [])
    let probes = [["a"], ["a", "label"], ["a", "books"], ["a", "books", "0"]].map { tokens in
      StateProbe<TreeDictionary<String, Shelf>>(JSONPointer(tokens))
    }
    for round in 0..<20 {
      switch round % 4 {
      case 0: shelves["a"]?.label.append("!")
      case 1: shelves["a"]?.books[0] += 1
      case 2: shelves["a"]?.books.append(round)
      default: shelves["b"]?.books.append(round)
      }
      let tree = try StateTree(encoding: shelves)
      for probe in probes { #expect(try probe.value(in: shelves) == tree[probe.pointer], "round \(round)") }
    }
  }

  @Test func equalValuesWithDifferentBytesDiffer() throws {
    let probe = StateProbe<TreeDictionary<String, Shelf>>(JSONPointer(["a", "label"]))
    for label in ["\u{E9}", "e\u{301}", "\u{E9}"] {
      let value = try probe.value(in: ["a": Shelf(label: label, books: [])])
      guard case .string(let found) = value else {
        Issue.record("not a string")
        return
      }
      #expect(found.unicodeScalars.elementsEqual(label.unicodeScalars))
    }
  }

  private static func count(_ value: JSONValue?) -> Int? {
    switch value {
    case .array(let elements): elements.count
    case .object(let object): object.count
    case .string(let string): string.count
    default: nil
    }
  }
}
