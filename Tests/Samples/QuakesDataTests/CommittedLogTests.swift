import EventSourcing
import Foundation
import QuakesData
import SampleSupport
import TestSupport
import Testing
import TreeCollections

/// The log in `logs/quakes` is a golden log.
@Suite struct CommittedLogTests {
  private static let folder = PackageFolder.root.appending(path: "logs")

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
