import BenchmarkKit
import Foundation
import TestSupport
import Testing

/// A benchmark that a comment or a page names is one that is measured.
@Suite struct NamedBenchmarksTests {
  private static let root = PackageFolder.root

  /// What was measured, and what targets are about.
  private func names() throws -> Set<String> {
    let results = try Results(contentsOf: Self.root.appendingPathComponent(Results.committedPath).path)
    let criteria = Criterion.all(.canonical)
    return Set(results.measurements.map(\.name)).union(criteria.map(\.subject)).union(criteria.compactMap(\.baseline))
  }

  /// The names behind the word *benchmark* in a text, comments and line ends aside.
  private func named(in text: String) -> [String] {
    let words = text.split(separator: "\n").map { line in
      line.drop { character in character == " " || character == "/" }
    }.joined(separator: " ")
    let name = #/[`"](?<name>[^`"]+)[`"]/#
    return words.matches(of: #/[Bb]enchmarks?`?,? [`"][^`"]+[`"](?:,? (?:and|or|beside) [`"][^`"]+[`"])*/#).flatMap {
      found in
      // The command's own name may stand in quotes.
      found.output.drop { character in character != " " }.matches(of: name).map { name in String(name.output.name) }
    }
  }

  /// The texts in which benchmarks are named.
  private func texts() throws -> [(path: String, text: String)] {
    let sources = Self.root.appendingPathComponent("Sources").resolvingSymlinksInPath()
    let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { path in
      path.hasSuffix(".swift") || path.hasSuffix(".md")
    }
    let pages = ["README.md", "CHANGELOG.md"].map { page in Self.root.appendingPathComponent(page) }
    return try (paths.map { path in sources.appendingPathComponent(path) } + pages).map { file in
      (file.path, try String(contentsOf: file, encoding: .utf8))
    }
  }

  @Test func everyNamedBenchmarkExists() throws {
    let names = try names()
    var count = 0
    for (path, text) in try texts() where text.contains("enchmark") {
      for name in named(in: text) {
        count += 1
        #expect(names.contains(name), "\(path) names the benchmark '\(name)'; 'benchmarks --list' says what there is")
      }
    }
    #expect(count >= 20, "names are not found any more")
  }

  @Test func namesAreFoundAfterLineEndsAndInLists() {
    let text = """
        /// quick (the benchmarks `a, b` and
        /// `c`), which (`benchmarks`, "d") shows; see the benchmark
        /// "e" beside `f`.
      """
    #expect(named(in: text) == ["a, b", "c", "d", "e", "f"])
  }
}
