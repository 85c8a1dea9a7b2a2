import Foundation
import TestSupport
import Testing
import TrialKit

/// The page of guarantees names tests and trials. These tests check that they exist.
@Suite("The page of guarantees")
struct GuaranteesTests {
  private static let root = PackageFolder.root

  /// Returns the last cells of the table rows under a heading, without the table heads.
  private func lastCells(under heading: String) throws -> [String] {
    let page = Self.root.appendingPathComponent("Sources/Engine/ActionLog/ActionLog.docc/Guarantees.md")
    let sections = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n## ")
    let section = try #require(sections.first { section in section.hasPrefix(heading + "\n") })
    let rows = section.split(separator: "\n").filter { line in line.hasPrefix("|") && !line.hasPrefix("|---") }
    return rows.map { row in String(row.split(separator: "|").last ?? "") }.filter { cell in cell != " tried by " }
  }

  /// The kinds of names on the page.
  private enum Kind {
    case test, trial, simulation
  }

  /// Returns the names in backticks: tests, or trials after the words "trial" and "simulated" up to the next semicolon.
  private func names(in cell: String) -> [(kind: Kind, name: String)] {
    let pieces = cell.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    var kind = Kind.test
    return stride(from: 1, to: pieces.count, by: 2).map { index in
      let before = pieces[index - 1]
      if before.contains(";") { kind = .test }
      if before.contains("trial") { kind = .trial }
      if before.contains("simulated") { kind = .simulation }
      return (kind, pieces[index])
    }
  }

  @Test func everyGuaranteeNamesExistingTests() throws {
    let tests = try TestNames(under: Self.root.appendingPathComponent("Tests").resolvingSymlinksInPath())
    let trials = Set(TrialProgramme.parts.map(\.name))
    let simulations = Set(SimulatedFailure.allCases.map(\.rawValue))
    let cells = try lastCells(under: "What is promised")
    #expect(cells.count > 20, "the page has other tables than this test knows")
    let evidence = try lastCells(under: "Evidence, redaction and pruning")
    #expect(evidence.count == 14, "the page has other tables than this test knows")
    for cell in cells + evidence {
      let names = names(in: cell)
      #expect(!names.isEmpty, "a promise that nothing shows: \(cell)")
      for (kind, name) in names {
        switch kind {
        case .trial: #expect(trials.contains(name), "there is no trial '\(name)'")
        case .simulation: #expect(simulations.contains(name), "nothing simulates '\(name)'")
        case .test where name.hasPrefix(".ci/"):
          #expect(FileManager.default.isExecutableFile(atPath: Self.root.path + "/" + name), "there is no '\(name)'")
        case .test:
          #expect(tests.count(of: name) == 1, "one test is meant by '\(name)', or by 'Suite/test'")
        }
      }
    }
  }

  @Test func everyTrialIsOnThePage() throws {
    let cells = try lastCells(under: "What is promised").flatMap(names).map(\.name)
    // Controls and comparisons show that other trials can fail; they do not prove a guarantee by themselves.
    let silent: Set = ["simulator", "controls", "rules"]
    for part in TrialProgramme.parts where !silent.contains(part.name) {
      #expect(cells.contains(part.name), "no promise names the trial '\(part.name)'")
    }
  }
}
