import Foundation
import JSONCoding
import TestSupport
import Testing

/// Thousands of values, written and read by these coders and by Foundation's, each reading what the other one writes.
@Suite struct DifferentialTests {
  static let seeds: [UInt64] = (1...20).map { $0 &* 0x9E37_79B9 }

  /// The number of values of a kind per seed.
  private static let count = 60

  private func check<Value: Codable & Equatable>(
    _ seed: UInt64, _ make: (inout SeededGenerator) -> Value
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    for number in 0..<Self.count {
      let value = make(&generator)
      let ours = try StrictJSONEncoder().encode(value)
      let theirs = try encoder.encode(value)
      #expect(try StrictJSONDecoder().decode(Value.self, from: ours) == value, "seed \(seed), value \(number)")
      #expect(
        try StrictJSONDecoder().decode(Value.self, from: [UInt8](theirs)) == value, "seed \(seed), value \(number)")
      #expect(try decoder.decode(Value.self, from: Data(ours)) == value, "seed \(seed), value \(number)")
    }
  }

  @Test(arguments: seeds) func actionsAgree(seed: UInt64) throws {
    try check(seed) { ZooAction(using: &$0) }
  }

  @Test(arguments: seeds) func treesAgree(seed: UInt64) throws {
    try check(seed) { ZooTree(depth: 4, using: &$0) }
  }

  @Test(arguments: seeds) func scalarsAgree(seed: UInt64) throws {
    try check(seed) { ZooScalars(using: &$0) }
  }

  @Test(arguments: seeds) func containersFilledByHandAgree(seed: UInt64) throws {
    try check(seed) { ZooHandWritten(using: &$0) }
  }
}
