import Foundation
import TestSupport
import Testing
import TrialKit

/// The page of guarantees names tests and trials. These tests check that they exist.
@Suite("The page of guarantees")
struct GuaranteesTests {
  private static let root = PackageFolder.root

  /// Returns the cells of the table rows under a heading, without the table heads.
  private func rows(under heading: String) throws -> [[String]] {
    let page = Self.root.appendingPathComponent("Sources/Engine/ActionLog/ActionLog.docc/Guarantees.md")
    let sections = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n## ")
    let section = try #require(sections.first { section in section.hasPrefix(heading + "\n") })
    let lines = section.split(separator: "\n", omittingEmptySubsequences: false)
    return zip(lines, lines.dropFirst() + [""]).filter { line, next in
      line.hasPrefix("| ") && !next.hasPrefix("|---")
    }.map { line, _ in
      line.dropFirst().split(separator: "|", omittingEmptySubsequences: false).dropLast()
        .map { cell in cell.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The kinds of names on the page.
  private enum Kind {
    case test, trial, simulation, target
  }

  /// Returns the names in backticks: tests; or trials after the words "trial" and "simulated", and targets of the benchmarks after
  /// "target", up to the next semicolon.
  private func names(in cell: String) -> [(kind: Kind, name: String)] {
    let pieces = cell.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    var kind = Kind.test
    return stride(from: 1, to: pieces.count, by: 2).map { index in
      let before = pieces[index - 1]
      if before.contains(";") { kind = .test }
      if before.contains("trial") { kind = .trial }
      if before.contains("simulated") { kind = .simulation }
      if before.contains("target") { kind = .target }
      return (kind, pieces[index])
    }
  }

  @Test func everyGuaranteeNamesExistingTests() throws {
    let cells = try rows(under: "What is promised").compactMap(\.last)
    #expect(cells.count > 20, "the page has other tables than this test knows")
    try expectNames(in: cells)
  }

  /// The promises and their tests are in two tables, which have the same numbers.
  @Test func everyNumberedPromiseNamesExistingTests() throws {
    let promises = try rows(under: "Evidence, redaction and pruning")
    #expect(promises.map(\.count) == Array(repeating: 3, count: promises.count))
    #expect(promises.compactMap(\.first) == (15...28).map { number in "P\(number)" })
    let evidence = try rows(under: "Tests of evidence, redaction and pruning")
    let numbers = evidence.compactMap(\.first)
    #expect(numbers == numbers.sorted(), "the numbers are out of order")
    #expect(Set(numbers) == Set(promises.compactMap(\.first)), "a promise that nothing shows, or tests of no promise")
    try expectNames(in: evidence.map { row in row[1] })
    for row in evidence { #expect(!row[2].contains("`"), "a name among the figures is not checked: \(row[2])") }
  }

  /// Expects that cells name tests, trials and targets, and that these exist.
  private func expectNames(in cells: [String]) throws {
    let tests = try TestNames(under: Self.root.appendingPathComponent("Tests").resolvingSymlinksInPath())
    let trials = Set(TrialProgramme.parts.map(\.name))
    let simulations = Set(SimulatedFailure.allCases.map(\.rawValue))
    let measured = try String(contentsOf: Self.root.appendingPathComponent("Benchmarks/README.md"), encoding: .utf8)
    for cell in cells {
      let names = names(in: cell)
      #expect(!names.isEmpty, "a promise that nothing shows: \(cell)")
      for (kind, name) in names {
        switch kind {
        case .trial: #expect(trials.contains(name), "there is no trial '\(name)'")
        case .simulation: #expect(simulations.contains(name), "nothing simulates '\(name)'")
        case .target: #expect(measured.contains("| \(name) |"), "no row of Benchmarks/README.md is '\(name)'")
        case .test where name.hasPrefix(".ci/"):
          #expect(FileManager.default.isExecutableFile(atPath: Self.root.path + "/" + name), "there is no '\(name)'")
        case .test:
          #expect(tests.count(of: name) == 1, "one test is meant by '\(name)', or by 'Suite/test'")
        }
      }
    }
  }

  @Test func everyTrialIsOnThePage() throws {
    let cells = try rows(under: "What is promised").compactMap(\.last).flatMap(names).map(\.name)
    // Controls and comparisons show that other trials can fail; they do not prove a guarantee by themselves.
    let silent: Set = ["simulator", "controls", "rules"]
    for part in TrialProgramme.parts where !silent.contains(part.name) {
      #expect(cells.contains(part.name), "no promise names the trial '\(part.name)'")
    }
  }
}
