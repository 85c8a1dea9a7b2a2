import ActionLog
import EventSourcing
import Foundation
import QuakesData
import SampleSupport
import TestSupport
import Testing
import TreeCollections

/// The log in `logs/quakes` is a golden log: `logs/README.md` names its final state.
@Suite struct CommittedLogTests {
  private static let folder = PackageFolder.root.appending(path: "logs")

  /// The table of the README has a row `| name | actions | final state's digest |`.
  @Test func quakesLogMatchesTheReadme() throws {
    let readme = try String(contentsOf: Self.folder.appending(path: "README.md"), encoding: .utf8)
    let row = try #require(readme.split(separator: "\n").first { line in line.hasPrefix("| `quakes` |") })
    let cells = row.split(separator: "|").map { cell in cell.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
    let history = try History<QuakesModel>(at: Self.folder.appending(path: "quakes").path)

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
    #expect(try LogVerifier.verify(at: history.path).verdict == .clean)
  }

  @Test func storyMatchesTheCommittedLog() throws {
    let history = try History<QuakesModel>(at: Self.folder.appending(path: "quakes").path)
    let actions = try history.actions(in: 1...20).flatMap(\.actions)
    #expect(actions == QuakesWorkload.story.map(\.action))
  }

  /// Revision 11 is the rollback of revision 10.
  @Test func rollbackIsInTheHistory() throws {
    let history = try History<QuakesModel>(at: Self.folder.appending(path: "quakes").path)
    let (before, deleted, restored) = (
      try history.state(at: 9), try history.state(at: 10), try history.state(at: 11)
    )
    #expect(before.quakes.data.count - deleted.quakes.data.count == 1)
    #expect(restored == before)
  }
}
