import Foundation
import JSONCoding
import TestSupport
import Testing

/// Properties of the coders on random values of every shape.
@Suite struct ZooTests {
  static let seeds: [UInt64] = (1...40).map { $0 &* 0x5DEE_CE66D }

  private func zoo(_ seed: UInt64) -> Zoo {
    var generator = SeededGenerator(seed: seed)
    return Zoo(using: &generator)
  }

  @Test(arguments: seeds) func decodingAnEncodedValueGivesTheValue(seed: UInt64) throws {
    let zoo = zoo(seed)
    for form in [JSONForm.declared, .canonical] {
      let bytes = try StrictJSONEncoder(form: form).encode(zoo)
      #expect(try StrictJSONDecoder().decode(Zoo.self, from: bytes) == zoo, "seed \(seed)")
    }
  }

  @Test(arguments: seeds) func canonicalBytesAreTheDeclaredOnesSorted(seed: UInt64) throws {
    let zoo = zoo(seed)
    // Sets and alternating arrays are sorted by their encoded elements, whose members the form moves.
    let declared = try JSONValue(parsing: StrictJSONEncoder().encode([zoo.foundation]))
    #expect(try StrictJSONEncoder(form: .canonical).encode([zoo.foundation]) == declared.bytes(.canonical))
    let canonical = try StrictJSONEncoder(form: .canonical).encode(zoo)
    #expect(try JSONValue(parsing: canonical).bytes(.canonical) == canonical)
    let actions = try JSONValue(parsing: StrictJSONEncoder().encode(zoo.handWritten))
    #expect(try StrictJSONEncoder(form: .canonical).encode(zoo.handWritten) == actions.bytes(.canonical))
  }

  @Test(arguments: seeds) func equalValuesGiveEqualBytes(seed: UInt64) throws {
    let zoo = zoo(seed)
    let bytes = try StrictJSONEncoder().encode(zoo)
    // Inserting in another order and with another capacity changes the hash order.
    var copy = try StrictJSONDecoder().decode(Zoo.self, from: bytes)
    copy.dictionaries.strings = reinserted(copy.dictionaries.strings)
    copy.dictionaries.points = reinserted(copy.dictionaries.points)
    copy.sets.strings = Set(minimumCapacity: copy.sets.strings)
    copy.sets.points = Set(minimumCapacity: copy.sets.points)
    #expect(try StrictJSONEncoder().encode(copy) == bytes, "seed \(seed)")
  }

  private func reinserted<Key, Value>(_ dictionary: [Key: Value]) -> [Key: Value] {
    var copy: [Key: Value] = [:]
    copy.reserveCapacity(1000)
    for (key, value) in Array(dictionary).reversed() { copy[key] = value }
    return copy
  }

  @Test(arguments: seeds) func actionsReadBackFromTheirCasePath(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let action = ZooAction(using: &generator)
      let (bytes, path) = try StrictJSONEncoder().encodeWithCasePath(action)
      #expect(bytes == (try StrictJSONEncoder().encode(action)))
      #expect(!path.isEmpty)
      var nested = path.last.map { Array(bytes[$0.content]) } ?? bytes
      for (index, step) in path.enumerated().reversed() {
        let object = Array("{\"\(step.key)\":".utf8) + nested + Array("}".utf8)
        nested = index == 0 ? object : Array("{\"_0\":".utf8) + object + Array("}".utf8)
      }
      #expect(nested == bytes, "seed \(seed)")
    }
  }

  @Test(arguments: seeds) func foundationDecodesOurOutput(seed: UInt64) throws {
    let zoo = zoo(seed)
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    func check<Value: Codable & Equatable>(_ value: Value) throws {
      let data = Data(try StrictJSONEncoder().encode(value))
      #expect(try decoder.decode(Value.self, from: data) == value, "seed \(seed)")
    }
    try check(zoo.scalars)
    try check(zoo.optionals)
    try check(zoo.dictionaries.strings)
    try check(zoo.dictionaries.ints)
    try check(zoo.dictionaries.points)
    try check(zoo.dictionaries.representable)
    try check(zoo.sets)
    try check(zoo.tree)
    try check(zoo.actions)
    try check(zoo.classes)
    try check(zoo.cats)
    try check(zoo.handWritten)
    try check(zoo.names)
    try check(zoo.collections)
    try check(zoo.foundation.uuid)
    try check(zoo.foundation.url)
    try check(zoo.foundation.data)
  }

  @Test(arguments: seeds) func foundationOutputDecodes(seed: UInt64) throws {
    let zoo = zoo(seed)
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    // Dates are seconds since 2001 there, and decimals numbers: both are read.
    let bytes = [UInt8](try encoder.encode(zoo))
    #expect(try StrictJSONDecoder().decode(Zoo.self, from: bytes) == zoo, "seed \(seed)")
  }

  @Test(arguments: seeds) func damagedTextNeverTraps(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let bytes = try StrictJSONEncoder().encode(zoo(seed))
    for _ in 0..<60 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<damaged.count, using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0: damaged[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: damaged.remove(at: index)
        default: damaged.insert(generator.element(Array("{}[]\",:0e-\\n".utf8)), at: index)
        }
      }
      do {
        _ = try StrictJSONDecoder().decode(Zoo.self, from: damaged)
      } catch let error as JSONError {
        #expect((0...damaged.count).contains(error.byteOffset ?? -1), "seed \(seed)")
      } catch is DecodingError {
        continue
      }
    }
  }
}

extension Set {
  /// The same set with room for many more elements, and so in another order.
  fileprivate init(minimumCapacity other: Set<Element>) {
    self.init(minimumCapacity: 1000)
    for element in other { insert(element) }
  }
}
