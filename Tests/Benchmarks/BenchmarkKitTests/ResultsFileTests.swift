import BenchmarkKit
import Foundation
import Testing

/// What is wrong with a file of results is said before anything is measured or written.
@Suite struct ResultsFileTests {
  /// Runs a closure with a directory that is removed behind it.
  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("results-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory.path)
  }

  private func message(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return "nothing was wrong"
  }

  @Test func resultsThatAreNotThereAreNotEmptyResults() throws {
    try withDirectory { directory in
      let path = directory + "/results.json"
      let message = message { _ = try Results(contentsOf: path) }
      #expect(message == "there is no file '\(path)' with results")
      let begun = try Results(addingTo: path)
      #expect(begun == Results())
    }
  }

  @Test(arguments: [
    ("{bad", "it is not JSON"), ("{}", "there is no 'measurements'"),
    (#"{"measurements": 3, "instructions": []}"#, "a value of another kind at 'measurements'"),
  ])
  func whatHoldsNoResultsIsRefused(_ text: String, _ fault: String) throws {
    try withDirectory { directory in
      let path = directory + "/results.json"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      let expected =
        "'\(path)' holds no results of the benchmarks (\(fault)); 'benchmarks --results FILE' writes such a file"
      let messages = [
        message { _ = try Results(contentsOf: path) }, message { _ = try Results(addingTo: path) },
      ]
      #expect(messages == [expected, expected])
    }
  }

  @Test func missingDirectoryIsReportedBeforeMeasuring() throws {
    try withDirectory { directory in
      let path = directory + "/missing/results.json"
      let message = message { _ = try Results(addingTo: path) }
      #expect(
        message
          == "results cannot be kept in '\(path)': there is no directory '\(directory)/missing'")
    }
  }

  @Test func writtenResultsAreReadAgain() throws {
    try withDirectory { directory in
      let path = directory + "/results.json"
      var results = Results()
      results.instructions = [InstructionCount(name: "decode", perUnit: 1_234.5, unit: "line")]
      try results.write(to: path)
      let read = [try Results(contentsOf: path), try Results(addingTo: path)]
      #expect(read == [results, results])
    }
  }

  @Test func pagesAreMadeOnlyWhereTheyAre() throws {
    try withDirectory { directory in
      let missing = message { _ = try Results().pages(in: directory) }
      #expect(missing == "there is no page '\(directory)/README.md'; 'report' is for the root of the package")
      try "no region".write(toFile: directory + "/README.md", atomically: true, encoding: .utf8)
      let strange = message { _ = try Results().pages(in: directory) }
      #expect(strange == "'\(directory)/README.md' has no region 'numbers'")
    }
  }
}
