import Testing
import TreeCollections

@Suite struct TreeDictionaryTests {
  private let animals: TreeDictionary = ["Cat": 1, "Dog": 2, "Newt": 3]

  @Test func anEmptyDictionaryHasNothing() {
    let empty: TreeDictionary<String, Int> = [:]
    #expect(empty.isEmpty && empty.count == 0 && empty.first == nil && empty["a"] == nil)
    #expect(empty.startIndex == empty.endIndex)
    #expect(Array(empty.keys).isEmpty && Array(empty.values).isEmpty)
    #expect(empty == TreeDictionary() && empty.isTriviallyIdentical(to: [:]))
    #expect(empty.changes(from: [:]).isEmpty)
    #expect(empty.mapValues { $0 }.isEmpty && empty.filter { _ in true }.isEmpty)
  }

  @Test func theLastElementLeavesAnEmptyDictionary() {
    var one: TreeDictionary = ["a": 1]
    one["a"] = nil
    #expect(one.isTriviallyIdentical(to: [:]))
    #expect(one.popFirst() == nil)
  }

  @Test func elementsAreFoundByKey() {
    #expect(animals["Dog"] == 2)
    #expect(animals["Cow"] == nil)
    #expect(animals["Cow", default: 9] == 9)
    #expect(animals["Cat", default: 9] == 1)
    #expect(animals.index(forKey: "Cow") == nil)
    #expect(animals.index(forKey: "Cat").map { animals[$0].value } == 1)
    #expect(animals.keys.contains("Newt") && !animals.keys.contains("Eel"))
  }

  @Test func keysAndValuesStandInOneOrder() {
    #expect(animals.keys.sorted() == ["Cat", "Dog", "Newt"])
    #expect(animals.values.sorted() == [1, 2, 3])
    #expect(zip(animals.keys, animals.values).allSatisfy { animals[$0] == $1 })
    #expect(animals.keys.indices.map { animals.keys[$0] } == Array(animals.keys))
    #expect(animals.values.indices.map { animals.values[$0] } == Array(animals.values))
    #expect(animals.keys == animals.mapValues { -$0 }.filter { _ in true }.mapValues { -$0 }.keys)
    #expect(animals.keys != animals.filter { $0.value > 1 }.keys)
  }

  @Test func anIndexHoldsInOtherVersions() throws {
    let index = try #require(animals.index(forKey: "Dog"))
    var later = animals
    for number in 0..<100 { later["\(number)"] = number }
    later["Cat"] = nil
    #expect(later[index] == ("Dog", 2))
    #expect(later.remove(at: index) == ("Dog", 2))
    #expect(later["Dog"] == nil && animals["Dog"] == 2)
  }

  @Test func dictionariesAreMadeLikeDictionary() {
    #expect(TreeDictionary(uniqueKeysWithValues: [("Cat", 1), ("Dog", 2), ("Newt", 3)]) == animals)
    #expect(TreeDictionary([("a", 1), ("b", 2), ("a", 3)]) { $0 * 10 + $1 } == ["a": 13, "b": 2])
    #expect(
      TreeDictionary(grouping: 0..<10) { $0 % 3 } == [0: [0, 3, 6, 9], 1: [1, 4, 7], 2: [2, 5, 8]])
    #expect(TreeDictionary(Dictionary(animals)) == animals)
  }

  @Test func aBuilderReportsEqualKeys() {
    var builder = TreeDictionary<String, Int>.Builder()
    for number in 0..<100 { builder.append("\(number % 99)", number) }
    #expect(builder.finish() == nil)
  }

  @Test func aBuilderThatIsDroppedReleasesItsElements() {
    final class Witness {}
    weak var witness: Witness?
    do {
      let object = Witness()
      witness = object
      var builder = TreeDictionary<Int, Witness>.Builder(minimumCapacity: 2)
      builder.append(1, object)
      builder.append(2, object)
    }
    #expect(witness == nil)
  }

  @Test func mergingCombinesInOrder() {
    var merged = animals
    merged.merge(["Cat": 5, "Eel": 6] as TreeDictionary) { $0 - $1 }
    #expect(merged == ["Cat": -4, "Dog": 2, "Newt": 3, "Eel": 6])
    merged.merge(["Cat": 5, "Yak": 7] as [String: Int]) { $1 - $0 }
    #expect(merged == ["Cat": 9, "Dog": 2, "Newt": 3, "Eel": 6, "Yak": 7])
    #expect(animals.merging(["Dog": 9] as [String: Int]) { $1 }["Dog"] == 9)
    #expect(animals.merging(["Dog": 9]) { $1 }["Dog"] == 9)
    #expect(animals.merging([("Dog", 7), ("Dog", 8)]) { $1 - $0 }["Dog"] == 3)
    #expect(animals.merging(animals) { $0 + $1 } == animals.mapValues { $0 * 2 })
  }

  @Test func mappingKeepsKeys() {
    #expect(animals.mapValues { "\($0)" } == ["Cat": "1", "Dog": "2", "Newt": "3"])
    #expect(animals.compactMapValues { $0 == 2 ? nil : $0 } == ["Cat": 1, "Newt": 3])
    #expect(animals.filter { $0.key < "D" } == ["Cat": 1])
    #expect(animals.compactMapValues { $0 == 2 ? nil : $0 }.statistics.violations == [])
  }

  @Test func aThrowingClosureLeaksNothing() {
    struct Stop: Error {}
    final class Witness {}
    weak var witness: Witness?
    do {
      let big = TreeDictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, $0) })
      var seen = 0
      #expect(throws: Stop.self) {
        _ = try big.mapValues { _ in
          seen += 1
          if seen == 700 { throw Stop() }
          let object = Witness()
          witness = object
          return object
        }
      }
      #expect(throws: Stop.self) { try big.filter { _ in throw Stop() } }
    }
    #expect(witness == nil)
  }

  @Test func theKeyThatIsThereStays() {
    var dictionary: TreeDictionary = ["é": 1]
    let decomposed = "e\u{301}"
    dictionary.updateValue(2, forKey: decomposed)
    dictionary[decomposed] = 3
    let shared = dictionary
    dictionary[decomposed] = 4
    #expect(dictionary.keys.map { Array($0.utf8) } == [Array("é".utf8)])
    #expect(shared["é"] == 3 && dictionary["é"] == 4)
  }

  @Test func equalityComparesContent() {
    var other = animals
    #expect(other == animals)
    other["Cat"] = 2
    #expect(other != animals)
    other["Cat"] = 1
    #expect(other == animals && !other.isTriviallyIdentical(to: animals))
    other["Cat"] = nil
    #expect(other != animals)
    other["Cow"] = 1
    #expect(other.count == animals.count && other != animals)
    #expect(Set([animals, ["Newt": 3, "Cat": 1, "Dog": 2], other]).count == 2)
  }

  @Test func itDescribesItselfAsDictionaryDoes() {
    let one: TreeDictionary = ["a\"": [1: "x"]]
    #expect("\(one)" == "\(["a\"": [1: "x"]])")
    #expect(String(reflecting: one) == String(reflecting: ["a\"": [1: "x"]]))
    #expect("\(TreeDictionary<Int, Int>())" == "[:]")
    #expect("\(one.keys) \(one.values)" == "\(["a\""]) \([[1: "x"]])")
    #expect(Mirror(reflecting: animals).displayStyle == .dictionary)
    #expect(Mirror(reflecting: animals).children.count == 3)
    var (dumped, expected) = ("", "")
    dump(one["a\""], to: &dumped)
    dump([1: "x"] as [Int: String]?, to: &expected)
    #expect(dumped == expected)
  }

  @Test func aWalkSeesTheValueItBeganWith() {
    var dictionary = animals
    var seen = 0
    for (key, _) in dictionary {
      dictionary[key] = nil
      seen += 1
    }
    #expect(seen == 3 && dictionary.isEmpty)
  }

  @Test func optionalValuesAreValues() {
    var dictionary: TreeDictionary<String, Int?> = ["a": nil, "b": 1]
    #expect(dictionary.count == 2 && dictionary["a"] == .some(nil))
    dictionary["a"] = .some(nil)
    dictionary["b"]? = nil
    dictionary["c"] = .some(.some(3))
    #expect(dictionary.count == 3 && dictionary["b"] == .some(nil))
    dictionary["a"] = nil
    #expect(dictionary.count == 2)
  }
}
