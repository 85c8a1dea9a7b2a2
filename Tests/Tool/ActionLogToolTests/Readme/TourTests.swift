import Foundation
import TestSupport
import Testing

/// The tour of the code names files and declarations that exist, and is short.
@Suite struct TourTests {
  /// A file on a trip, with the declarations that the page names in it.
  struct Stop: CustomTestStringConvertible {
    var testDescription: String
    var file: URL?
    var names: [String]
  }

  static let page = PackageFolder.root.appending(
    path: "Sources/Tool/ActionLogTool/ActionLogTool.docc/TourOfTheCode.md")

  /// The trips by their headings, in the order of the page.
  static func trips() throws -> [(heading: String, stops: [Stop])] {
    try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n## ").dropFirst().map { section in
      let lines = section.split(separator: "\n").map(String.init)
      let stops = lines.filter { line in line.prefixMatch(of: /[0-9]+\. `/) != nil }.map { line in
        let words = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
          .filter { index, _ in index % 2 == 1 }.map { _, word in String(word) }
        return Stop(testDescription: words[0], file: file(words[0]), names: Array(words.dropFirst()))
      }
      return (lines[0], stops)
    }
  }

  /// The file that `Target/Name.swift` names, in any subfolder of the target.
  private static func file(_ path: String) -> URL? {
    let words = path.split(separator: "/").map(String.init)
    guard words.count == 2, let folder = PackageFolder.folder(ofTarget: words[0]) else { return nil }
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return files?.compactMap { file in file as? URL }.first { file in file.lastPathComponent == words[1] }
  }

  @Test func tripsAreShort() throws {
    let trips = try Self.trips()
    let limits = [("dispatch", 15), ("bytes", 12), ("argv", 20), ("lines", 12)]
    try #require(trips.count == limits.count)
    for (trip, (word, limit)) in zip(trips, limits) {
      #expect(trip.heading.contains(word))
      #expect((5...limit).contains(Set(trip.stops.map(\.testDescription)).count), "\(trip.heading)")
    }
  }

  @Test(arguments: try trips().flatMap(\.stops))
  func namesAreInTheFile(stop: Stop) throws {
    let file = try #require(stop.file, "there is no file \(stop.testDescription)")
    let source = try String(contentsOf: file, encoding: .utf8)
    for name in stop.names {
      // A method is named with its labels; the file has the part before them.
      let word = String(name.prefix { letter in letter != "(" }.split(separator: ".").last ?? "")
      let pattern = try Regex("\\b\(NSRegularExpression.escapedPattern(for: word))\\b")
      #expect(source.contains(pattern), "\(name) is not in \(stop.testDescription)")
    }
    #expect(!stop.names.isEmpty, "\(stop.testDescription) has no declaration to look for")
  }

  /// CONTRIBUTING's recipes and the READMEs name files and folders of the checkout.
  @Test(arguments: ["CONTRIBUTING.md", "README.md", "Sources/Samples/README.md"])
  func pathsExist(page: String) throws {
    let text = try String(contentsOf: PackageFolder.root.appending(path: page), encoding: .utf8)
    let paths = text.matches(of: /[`(]((?:Sources|Tests|Benchmarks|logs|\.ci)\/[A-Za-z0-9\/+._-]+)[`)]/).map {
      String($0.1)
    }
    #expect(page.hasPrefix("Sources") || paths.count > 5)
    for path in paths {
      #expect(
        FileManager.default.fileExists(atPath: PackageFolder.root.appending(path: path).path), "\(page): \(path)")
    }
  }
}
