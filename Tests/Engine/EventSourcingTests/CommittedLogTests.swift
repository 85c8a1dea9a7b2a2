import ActionLog
import AnimalsData
import CounterData
import EventSourcing
import Foundation
import TestSupport
import Testing

/// The logs in the folder `logs/` are golden histories. `logs/README.md` lists the states that they rebuild.
@Suite struct CommittedLogTests {
  private static let folder = PackageFolder.root.appending(path: "logs")

  @Test func theCounterEndsAsTheReadmeSays() throws {
    try check(CounterModel.self, "counter")
  }

  @Test func theAnimalsEndAsTheReadmeSays() throws {
    try check(AnimalsModel.self, "animals")
  }

  /// The table of the README has a row `| name | actions | final state's digest |`.
  private func check<M: Model>(_ model: M.Type, _ name: String) throws {
    let readme = try String(contentsOf: Self.folder.appending(path: "README.md"), encoding: .utf8)
    let row = try #require(readme.split(separator: "\n").first { line in line.hasPrefix("| `\(name)` |") })
    let cells = row.split(separator: "|").map { cell in cell.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
    let history = try History<M>(at: Self.folder.appending(path: name).path)

    var options = ReplayOptions()
    options.checksDigests = true
    options.usesSnapshots = false
    options.onDivergence = .fail
    let replayed = try history.replay(options: options)
    #expect(String(replayed.revision) == cells[1])
    #expect(try StateDigest(of: replayed.state).hexadecimal == cells[2])
    #expect(replayed.report.digestsChecked >= 2)
    #expect(replayed.report.damage == nil)
    let opened = try history.replay()
    #expect(opened.state == replayed.state, "with snapshots as without")
    #expect(opened.report.snapshotsLoaded == 1)
    #expect(opened.report.actionsFolded < replayed.revision, "the snapshots are really used")
    #expect(try LogVerifier.verify(at: history.path).problems.isEmpty)
  }
}
