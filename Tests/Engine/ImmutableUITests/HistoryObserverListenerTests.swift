import ImmutableData
import ImmutableUI
import TestSupport
import Testing
import TimeTravel

/// A position in a history drives the same selections as a live store, so the same screen shows the past.
@MainActor @Suite struct HistoryObserverListenerTests {
  @Test func theSameScreenShowsThePast() async throws {
    let walk = try await RecordedWalk(steps: 60)
    let past = try await walk.observer(at: 0)
    let screen = WalkScreen(past)
    #expect(screen.text == walk.shown[0])
    for revision in 1...60 {
      try await past.stepForward()
      await expect(screen, shows: walk.shown[revision])
    }
    for revision in (0..<60).reversed() {
      try await past.stepBackward()
      await expect(screen, shows: walk.shown[revision])
    }
    for revision in [30, 59, 2, 60, 0] {
      try await past.jump(to: revision)
      await expect(screen, shows: walk.shown[revision])
    }
  }

  @Test func aScreenUpdatesAfterTheMove() async throws {
    let walk = try await RecordedWalk(steps: 3)
    let past = try await walk.observer(at: 1)
    let screen = WalkScreen(past)
    #expect(screen.text == walk.shown[1])
    try await past.stepForward()
    #expect(past.state.steps == 2)
    #expect(screen.text == walk.shown[1])
    await expect(screen, shows: walk.shown[2])
  }

  @Test(arguments: [1_000, 1_001, 2_500])
  func farMovesAreFollowedToo(distance: Int) async throws {
    let walk = try await RecordedWalk(steps: distance + 3)
    let past = try await walk.observer(at: 1)
    let probe = past.makeStream()
    let screen = WalkScreen(past)
    #expect(screen.text == walk.shown[1])
    try await past.jump(to: 1 + distance)
    await expect(screen, shows: walk.shown[1 + distance])
    // Only moves of more than 1 000 actions end the streams. A shorter move yields each action.
    #expect(probe.counts.yielded == (distance > 1_000 ? 0 : distance))

    // The listeners follow a stream again: single steps, and the far move back.
    try await past.stepForward()
    await expect(screen, shows: walk.shown[2 + distance])
    try await past.stepBackward()
    await expect(screen, shows: walk.shown[1 + distance])
    try await past.jump(to: 0)
    await expect(screen, shows: walk.shown[0])
    try await past.stepForward()
    await expect(screen, shows: walk.shown[1])
  }

  @Test func consecutiveFarMovesShowTheLastRevision() async throws {
    let walk = try await RecordedWalk(steps: 1_200)
    let past = try await walk.observer(at: 0)
    let screen = WalkScreen(past)
    #expect(screen.text == walk.shown[0])
    try await past.stepForward()
    for _ in 0..<3 {
      try await past.jump(to: 1_190)
      try await past.stepForward()
      try await past.jump(to: 7)
    }
    await expect(screen, shows: walk.shown[7])
    try await past.stepForward()
    await expect(screen, shows: walk.shown[8])
  }

  /// A far move yields no actions to the filter, so the filter must not keep the state after it from the screen.
  @Test func aFarMovePassesTheFilter() async throws {
    let walk = try await RecordedWalk(steps: 1_100)
    let past = try await walk.observer(at: 0)
    let selection = Selection(past, filter: { _, _ in false }, outputSelector: \.steps)
    let unfiltered = Selection(past, outputSelector: \.steps)
    #expect((selection.output, unfiltered.output) == (0, 0))
    try await past.stepForward()
    #expect(await value(of: { unfiltered.output }) { steps in steps != 0 } == 1)
    #expect(selection.output == 0)
    try await past.jump(to: 1_100)
    #expect(await value(of: { selection.output }) { steps in steps != 0 } == 1_100)
  }

  @Test func anUnchangedSliceNotifiesNoObserver() async throws {
    let walk = try await RecordedWalk(steps: 1_100)
    let past = try await walk.observer(at: 0)
    let isWalk = Selection(past, outputSelector: { walk in walk.steps >= 0 })
    let steps = Selection(past, outputSelector: \.steps)
    let changes = ChangeCount { isWalk.output }
    #expect(steps.output == 0)
    try await past.jump(to: 1_100)
    #expect(await value(of: { steps.output }) { steps in steps != 0 } == 1_100)
    #expect(changes.count == 0)
  }

  @Test func oneSelectionMovesBetweenRevisions() async throws {
    let walk = try await RecordedWalk(steps: 20)
    let (first, second) = (try await walk.observer(at: 5), try await walk.observer(at: 15))
    let selection = Selection(first, outputSelector: \.steps)
    #expect(selection.output == 5)
    selection.store = second
    #expect(selection.output == 15)
    try await second.stepForward()
    #expect(await value(of: { selection.output }) { steps in steps != 15 } == 16)
    try await first.stepForward()
    #expect(selection.output == 16)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func twoScreensOfOneObserverMatch(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let walk = try await RecordedWalk(steps: 1_300, seed: seed)
    let past = try await walk.observer(at: 650)
    let screens = [WalkScreen(past), WalkScreen(past)]
    #expect(screens.map { screen in screen.text } == [walk.shown[650], walk.shown[650]])
    for _ in 0..<60 {
      switch Int.random(in: 0..<3, using: &random) {
      case 0 where past.revision < 1_300: try await past.stepForward()
      case 1 where past.revision > 0: try await past.stepBackward()
      default: try await past.jump(to: Int.random(in: 0...1_300, using: &random))
      }
      for screen in screens { await expect(screen, shows: walk.shown[past.revision]) }
    }
  }

  /// Waits until the screen shows a text. If it never does, the test hangs.
  private func expect(_ screen: WalkScreen<HistoryObserver<Walk>>, shows text: String) async {
    #expect(await value(of: { screen.text }) { shown in shown == text } == text)
  }
}
