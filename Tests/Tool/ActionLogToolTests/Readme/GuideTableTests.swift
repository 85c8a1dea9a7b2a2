import Foundation
import TestSupport
import Testing

/// The documentation's table of what the guide builds names files and tests that are there.
@Suite struct GuideTableTests {
  private static let root = PackageFolder.root

  /// A row of the table.
  private struct Part {
    var number: Int
    var files: [String]
    var tests: [String]
  }

  private let parts: [Part]

  init() throws {
    let page = Self.root.appending(path: "Sources/Engine/ImmutableData/ImmutableData.docc/WhatTheGuideBuilds.md")
    parts = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { cell in
        cell.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count > 1, let number = Int(cells[1]) else { return nil }
      try #require(cells.count == 7, "a row has five cells: \(line)")
      return Part(number: number, files: Self.code(cells[3]), tests: Self.code(cells[4]))
    }
  }

  /// The texts between backquotes.
  private static func code(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { index, _ in index % 2 == 1 }.map { _, text in String(text) }
  }

  @Test func everyPartIsInIt() {
    #expect(parts.map(\.number) == Array(1...78))
    #expect(parts.allSatisfy { part in !part.files.isEmpty && !part.tests.isEmpty })
  }

  @Test func everyFileIsThere() {
    for part in parts {
      for file in part.files {
        let words = file.split(separator: "/", maxSplits: 1).map(String.init)
        let inTarget = PackageFolder.folder(ofTarget: words[0])?.appending(path: words[1])
        let isThere = [inTarget, Self.root.appending(path: file)].contains { file in
          file.map { file in FileManager.default.fileExists(atPath: file.path) } == true
        }
        #expect(isThere, "\(part.number): \(file)")
      }
    }
  }

  @Test func everyTestIsThere() throws {
    var sources: [String: [String]] = [:]
    for part in parts {
      for test in part.tests {
        let words = test.split(separator: "/").map(String.init)
        try #require((2...3).contains(words.count), "\(part.number): \(test)")
        let texts = try sources[words[0]] ?? Self.sources(of: words[0])
        sources[words[0]] = texts
        let isThere = texts.contains { text in
          text.contains("struct \(words[1]) ") && (words.count < 3 || text.contains(" func \(words[2])("))
        }
        #expect(isThere, "\(part.number): \(test)")
      }
    }
  }

  /// The files of a test target.
  private static func sources(of target: String) throws -> [String] {
    let folder = try #require(PackageFolder.folder(ofTarget: target), "\(target)")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil), "\(target)")
    return try files.compactMap { file in file as? URL }.filter { file in file.pathExtension == "swift" }
      .map { file in try String(contentsOf: file, encoding: .utf8) }
  }
}
