import AnimalsData
import Foundation
import JSONCoding
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// A probe answers what the whole tree would: for every shape that `Codable` types take.
@Suite struct StateProbeTests {
  @Test(arguments: Seeds.batches) func aProbeFindsWhatTheTreeHasAtEveryPlace(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 8) {
      var generator = SeededGenerator(seed: seed)
      let zoo = Zoo(using: &generator)
      let tree = try StateTree(encoding: zoo)
      let paths = try tree.paths()
      for pointer in paths {
        #expect(try StateProbe<Zoo>(pointer).value(in: zoo) == tree[pointer], "seed \(seed), \(pointer)")
        // A member or element below it that is not there, unless by chance.
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

  /// The counting is the point of this type: it fails when anything but the one row is encoded.
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

  @Test func aTableOfManyRowsIsAskedForOne() throws {
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

  private static func count(_ value: JSONValue?) -> Int? {
    switch value {
    case .array(let elements): elements.count
    case .object(let object): object.count
    case .string(let string): string.count
    default: nil
    }
  }
}
