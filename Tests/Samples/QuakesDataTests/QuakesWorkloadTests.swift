import EventSourcing
import JSONCoding
import QuakesData
import SampleSupport
import Testing
import TreeCollections

@Suite struct QuakesWorkloadTests {
  /// The result of folding a workload.
  private struct Fold {
    var accepted = 0
    var refused = 0
    var state = QuakesState()
    var kinds: [ActionKind: Int] = [:]

    init(_ actions: some Sequence<QuakesAction>) {
      for action in actions {
        kinds[ActionKind(action), default: 0] += 1
        do {
          try QuakesModel.reduce(into: &state, action: action)
          accepted += 1
        } catch {
          refused += 1
        }
      }
    }
  }

  @Test(
    arguments: [
      (1, 100, 2, 52), (1, 1_000, 11, 281), (2, 1_000, 6, 355), (7, 20_000, 133, 7_603),
    ] as [(UInt64, Int, Int, Int)])
  func equalSeedsGiveEqualStates(seed: UInt64, count: Int, refused: Int, quakes: Int) {
    let fold = Fold(QuakesWorkload(seed: seed).prefix(count))
    #expect(fold.accepted + fold.refused == count)
    #expect(fold.refused == refused)
    #expect(fold.state.quakes.data.count == quakes)
  }

  @Test(arguments: [(1, 13_917_024_228_870_337_060), (7, 14_867_017_264_255_296_054)] as [(UInt64, UInt64)])
  func equalSeedsGiveEqualBytes(seed: UInt64, expected: UInt64) throws {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for action in QuakesWorkload(seed: seed).prefix(2_000) {
      for byte in try StrictJSONEncoder().encode(action) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
    }
    #expect(hash == expected)
  }

  @Test func differentSeedsGiveDifferentActions() {
    #expect(Array(QuakesWorkload(seed: 1).prefix(100)) != Array(QuakesWorkload(seed: 2).prefix(100)))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func workloadIsRealistic(seed: UInt64) {
    let fold = Fold(QuakesWorkload(seed: seed).prefix(4_000))
    #expect((4...120).contains(fold.refused), "seed \(seed): \(fold.refused) refused")
    #expect((400...4_000).contains(fold.state.quakes.data.count), "seed \(seed): \(fold.state.quakes.data.count)")
    // The stored quakes are fetched once; all quakes are only deleted while there are few.
    for kind in ActionKind.allCases where ![.storedFetched, .storedNotFetched, .deleteAllTapped].contains(kind) {
      #expect(fold.kinds[kind, default: 0] > 0, "seed \(seed): no \(kind)")
    }
    #expect((fold.kinds[.storedFetched, default: 0] + fold.kinds[.storedNotFetched, default: 0]) == 1, "seed \(seed)")
  }

  @Test func workloadHasEveryKindOfAction() {
    var kinds: Set<ActionKind> = []
    for seed in 0..<40 as Range<UInt64> {
      kinds.formUnion(QuakesWorkload(seed: seed).prefix(200).map { action in ActionKind(action) })
    }
    #expect(kinds == Set(ActionKind.allCases))
  }

  /// A restored quake was deleted before and not restored since.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func rollbacksFollowTheirDeletions(seed: UInt64) {
    var state = QuakesState()
    var lost: [Quake.ID: Int] = [:]
    var rollBacks = 0
    for action in QuakesWorkload(seed: seed).prefix(2_000) {
      switch action {
      case .ui(.quakeList(.onTapDeleteSelectedQuakeButton(let quakeId))) where state.quakes.data[quakeId] != nil:
        lost[quakeId, default: 0] += 1
      case .ui(.quakeList(.onTapDeleteAllQuakesButton)):
        for quakeId in state.quakes.data.keys { lost[quakeId, default: 0] += 1 }
      case .data(.persistentSession(.localStore(.didFailToDeleteQuakes(let quakes, reason: _)))):
        rollBacks += 1
        for quake in quakes {
          #expect(lost[quake.id, default: 0] > 0, "seed \(seed): nobody deleted \(quake.id)")
          lost[quake.id, default: 0] -= 1
        }
      default:
        break
      }
      do { try QuakesModel.reduce(into: &state, action: action) } catch {}
    }
    #expect(rollBacks > 10)
  }
}

@Suite struct QuakesStoryTests {
  @Test func storyEndsWithThreeQuakes() throws {
    var state = QuakesState()
    var counts: [Int] = []
    for step in QuakesWorkload.story {
      try QuakesModel.reduce(into: &state, action: step.action)
      counts.append(state.quakes.data.count)
    }
    #expect(counts == [0, 0, 0, 2, 2, 2, 2, 5, 4, 3, 4, 3, 3, 3, 0, 3, 0, 0, 0, 3])
    #expect(state.quakes.status == .success)
    #expect(state.quakes.data.keys.sorted() == ["hv74522007", "us7000rk3m", "us7000rk41"])
    #expect(state.quakes.data["us7000rk3m"]?.magnitude == 5.3)
  }

  @Test func storyIsShortAndHasPauses() {
    #expect(QuakesWorkload.story.count == 20)
    #expect(QuakesWorkload.story.allSatisfy { step in step.pause > .zero })
  }
}
