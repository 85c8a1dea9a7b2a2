import Foundation
import FuzzKit
import Testing

/// Runs the seed inputs of the fuzzer, and the inputs of earlier findings, through the same entries.
@Suite("The corpus of the fuzzer", .timeLimit(.minutes(60)))
struct CorpusTests {
  private static func inputs(of entry: FuzzEntry) throws -> [(name: String, bytes: [UInt8])] {
    let directory = try #require(
      Bundle.module.url(forResource: entry.rawValue, withExtension: nil, subdirectory: "Corpus"))
    return try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted().map { name in
      (name, Array(try Data(contentsOf: directory.appendingPathComponent(name))))
    }
  }

  @Test(arguments: FuzzEntry.allCases)
  func everyInputGivesConsistentResults(entry: FuzzEntry) throws {
    let inputs = try Self.inputs(of: entry)
    #expect(inputs.count >= 10)
    for input in inputs {
      #expect(entry.flaw(in: input.bytes) == nil, "\(entry.rawValue)/\(input.name)")
    }
  }

  /// Most flaws are exposed by truncated inputs.
  @Test(arguments: [FuzzEntry.json, .action, .line, .head, .events, .devtools, .proof])
  func everyPrefixOfAnInputIsHandled(entry: FuzzEntry) throws {
    for input in try Self.inputs(of: entry) where input.bytes.count <= 200 {
      for count in input.bytes.indices {
        #expect(entry.flaw(in: Array(input.bytes[..<count])) == nil, "\(entry.rawValue)/\(input.name), \(count) bytes")
      }
    }
  }
}
