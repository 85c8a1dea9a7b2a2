import Foundation
import Testing
import TrialKit

/// The page that says what is promised names what shows it; here is looked whether that is there.
@Suite("The page of guarantees")
struct GuaranteesTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The last cells of the rows of the tables under a heading, without the heads of the tables.
  private func lastCells(under heading: String) throws -> [String] {
    let page = Self.root.appendingPathComponent("Sources/ActionLog/ActionLog.docc/Guarantees.md")
    let sections = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n## ")
    let section = try #require(sections.first { section in section.hasPrefix(heading + "\n") })
    let rows = section.split(separator: "\n").filter { line in line.hasPrefix("|") && !line.hasPrefix("|---") }
    return rows.map { row in String(row.split(separator: "|").last ?? "") }.filter { cell in cell != " tried by " }
  }

  /// What stands between backticks.
  private func names(in cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { index, _ in !index.isMultiple(of: 2) }.map { _, name in String(name) }
  }

  /// The names of all functions in the tests.
  private func functions() throws -> Set<String> {
    let tests = Self.root.appendingPathComponent("Tests").resolvingSymlinksInPath()
    var names: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path) where path.hasSuffix("Tests.swift") {
      let text = try String(contentsOf: tests.appendingPathComponent(path), encoding: .utf8)
      for match in text.matches(of: /func (\w+)\(/) { names.insert(String(match.1)) }
    }
    return names
  }

  @Test func everyPromiseNamesATestOrATrialThatThereIs() throws {
    let functions = try functions()
    let trials = Set(TrialProgramme.parts.map(\.name) + SimulatedFailure.allCases.map(\.rawValue))
    let cells = try lastCells(under: "What is promised")
    #expect(cells.count > 20, "the page has other tables than this test knows")
    for cell in cells {
      let names = names(in: cell)
      #expect(!names.isEmpty, "a promise that nothing shows: \(cell)")
      for name in names {
        let isScript = name.hasPrefix(".ci/") && FileManager.default.fileExists(atPath: Self.root.path + "/" + name)
        #expect(functions.contains(name) || trials.contains(name) || isScript, "there is no '\(name)'")
      }
    }
  }

  @Test func everyTrialIsOnThePage() throws {
    let cells = try lastCells(under: "What is promised").flatMap(names)
    // What shows that the others can fail, and why the rule is what it is, promises nothing by itself.
    let silent: Set = ["simulator", "controls", "rules"]
    for part in TrialProgramme.parts where !silent.contains(part.name) {
      #expect(cells.contains(part.name), "no promise names the trial '\(part.name)'")
    }
  }
}
