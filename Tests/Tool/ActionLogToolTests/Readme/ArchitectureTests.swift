import Foundation
import TestSupport
import Testing

/// The manifest, the imports and CONTRIBUTING's diagram describe the same architecture.
@Suite struct ArchitectureTests {
  /// A target as the manifest declares it.
  private struct Target {
    var name: String
    var path: String
    var isProgram: Bool
    var dependencies: Set<String>

    var isTest: Bool { path.hasPrefix("Tests/") }
  }

  private let targets: [Target]
  private let page: String

  init() throws {
    let manifest = try String(contentsOf: PackageFolder.root.appending(path: "Package.swift"), encoding: .utf8)
    targets = try Self.targets(in: manifest)
    page = try String(contentsOf: PackageFolder.root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
  }

  /// Reads the calls of `module`, `program` and `tests`: a path, perhaps a name and a root, and the dependencies.
  private static func targets(in manifest: String) throws -> [Target] {
    let call = try NSRegularExpression(
      pattern: #"^    (module|program|tests)\(\s*("(?:[^()]|\([^()]*\))*?)\),?$"#, options: .anchorsMatchLines)
    let label = try NSRegularExpression(pattern: #"(\w+): (\[[^\]]*\]|"[^"]*")"#)
    let text = try NSRegularExpression(pattern: #""([^"]*)""#)
    return call.groups(in: manifest).map { groups in
      var labels: [String: String] = [:]
      for pair in label.groups(in: groups[2]) { labels[pair[1]] = pair[2].trimmingCharacters(in: ["\""]) }
      let unlabeled = label.stringByReplacingMatches(
        in: groups[2], range: NSRange(groups[2].startIndex..., in: groups[2]), withTemplate: "")
      let words = text.groups(in: unlabeled).map { groups in groups[1] }
      let root = labels["in"] ?? (groups[1] == "tests" ? "Tests" : "Sources")
      return Target(
        name: labels["name"] ?? String(words[0].split(separator: "/").last ?? ""), path: "\(root)/\(words[0])",
        isProgram: groups[1] == "program", dependencies: Set(words.dropFirst()))
    }
  }

  /// The modules that the sources of a target import.
  private static func imports(of target: Target) throws -> Set<String> {
    let statement = try NSRegularExpression(
      pattern: #"^ *(?:(?:public|package|internal|private) )?import (?:(?:struct|class|enum|protocol|func) )?(\w+)"#,
      options: .anchorsMatchLines)
    let root = PackageFolder.root.appending(path: target.path)
    let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
    var names: Set<String> = []
    for case let file as URL in files {
      // Compiled by a test, not by the package.
      if file.lastPathComponent == "StandIn" { files.skipDescendants() }
      guard file.pathExtension == "swift" else { continue }
      let source = try String(contentsOf: file, encoding: .utf8)
      names.formUnion(statement.groups(in: source).map { groups in groups[1] })
    }
    return names
  }

  @Test func dependenciesMatchImports() throws {
    let names = Set(targets.map(\.name)).union(["CSystem"])
    let programs = Set(targets.filter(\.isProgram).map(\.name))
    #expect(targets.count > 75)
    for target in targets {
      let imports = try Self.imports(of: target).intersection(names)
      // Tests run programs without importing them.
      let declared = target.isTest ? target.dependencies.subtracting(programs) : target.dependencies
      #expect(declared == imports, "\(target.name) declares \(declared.sorted()) and imports \(imports.sorted())")
    }
  }

  @Test func importsGoDown() throws {
    let rows = try diagram()
    var levels: [String: Int] = [:]
    for (level, row) in rows.reversed().enumerated() {
      for name in row.names {
        #expect(levels[name] == nil, "\(name) is in the diagram twice")
        levels[name] = level
      }
    }
    for target in targets where target.path.hasPrefix("Sources/") {
      if target.path.hasPrefix("Sources/Plugins/") {
        #expect(
          target.dependencies.allSatisfy { name in levels[name] == nil }, "\(target.name) is built for the plugins")
        continue
      }
      let level = try #require(levels[target.name], "\(target.name) is not in CONTRIBUTING's diagram")
      for name in target.dependencies {
        let below = try #require(levels[name], "\(name) is not in CONTRIBUTING's diagram")
        #expect(below < level, "\(target.name) imports \(name), which is not in a row below it")
      }
    }
    for name in levels.keys {
      #expect(name == "CSystem" || targets.contains { target in target.name == name }, "there is no target \(name)")
    }
  }

  @Test func layersAreFolders() throws {
    let rows = try diagram()
    for row in rows {
      for name in row.names where name != "CSystem" {
        let target = try #require(targets.first { target in target.name == name })
        #expect(target.path.hasPrefix("Sources/\(row.layer)/"), "\(name) is in \(target.path)")
      }
    }
    #expect(Set(rows.map(\.layer)) == ["System", "Engine", "Tool", "Samples"])
  }

  @Test func manifestIsShort() throws {
    let manifest = try String(contentsOf: PackageFolder.root.appending(path: "Package.swift"), encoding: .utf8)
    let lineCount = manifest.split(separator: "\n", omittingEmptySubsequences: false).count
    #expect(lineCount <= 320, "merge targets, or declare them in fewer lines")
    #expect(!manifest.contains(".package("), "a package dependency")
  }

  /// The engine names operations, and each program its own commands. The name is part of two file formats.
  @Test func engineDoesNotNameTheTool() throws {
    let formats = ["ActionLogMaintenance/Evidence/SignedNote.swift", "TimeTravel/ChangeIndex/ChangeIndex.swift"]
    let root = PackageFolder.root.appending(path: "Sources/Engine")
    let files = try #require(FileManager.default.enumerator(atPath: root.path))
    for case let file as String in files where file.hasSuffix(".swift") && !formats.contains(file) {
      let source = try String(contentsOf: root.appending(path: file), encoding: .utf8)
      for line in source.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        #expect(!line.contains("action-log"), "\(file): \(line)")
      }
    }
  }

  /// The rows of CONTRIBUTING's diagram from the top, each with its layer.
  private func diagram() throws -> [(layer: String, names: [String])] {
    let start = try #require(page.range(of: "<!-- modules -->\n\n```\n"))
    let end = try #require(page.range(of: "```", range: start.upperBound..<page.endIndex))
    var layer = ""
    return page[start.upperBound..<end.lowerBound].split(separator: "\n").map { line in
      var words = line.split(separator: " ").map(String.init)
      if !line.hasPrefix(" ") { layer = words.removeFirst() }
      return (layer, words)
    }
  }
}

extension NSRegularExpression {
  /// The groups of each match; a group that took no part is empty.
  fileprivate func groups(in text: String) -> [[String]] {
    matches(in: text, range: NSRange(text.startIndex..., in: text)).map { match in
      (0..<match.numberOfRanges).map { index in
        Range(match.range(at: index), in: text).map { range in String(text[range]) } ?? ""
      }
    }
  }
}
