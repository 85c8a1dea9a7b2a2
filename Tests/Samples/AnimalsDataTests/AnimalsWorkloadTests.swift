import AnimalsData
import SampleSupport
import Testing

@Suite struct AnimalsWorkloadTests {
  /// The result of folding a workload.
  private struct Fold: Equatable {
    var accepted = 0
    var refused = 0
    var state = AnimalsState()
    var kinds: [ActionKind: Int] = [:]

    init(_ actions: some Sequence<AnimalsAction>) {
      for action in actions {
        kinds[ActionKind(action), default: 0] += 1
        do {
          try AnimalsModel.reduce(into: &state, action: action)
          accepted += 1
        } catch {
          refused += 1
        }
      }
    }
  }

  @Test(
    arguments: [
      (1, 100, 0, 12), (1, 1_000, 3, 121), (2, 1_000, 8, 77), (7, 20_000, 104, 2_154),
    ] as [(UInt64, Int, Int, Int)])
  func equalSeedsGiveEqualStates(seed: UInt64, count: Int, refused: Int, animals: Int) {
    let fold = Fold(AnimalsWorkload(seed: seed).prefix(count))
    #expect(fold.accepted + fold.refused == count)
    #expect(fold.refused == refused)
    #expect(fold.state.animals.data.count == animals)
  }

  @Test(arguments: [(1, 17_709_476_486_579_951_799), (7, 7_447_189_867_549_428_634)] as [(UInt64, UInt64)])
  func equalSeedsGiveEqualBytes(seed: UInt64, expected: UInt64) throws {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for action in AnimalsWorkload(seed: seed).prefix(2_000) {
      for byte in try canonicalText(action).utf8 {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
    }
    #expect(hash == expected)
  }

  @Test func differentSeedsGiveDifferentActions() {
    #expect(Array(AnimalsWorkload(seed: 1).prefix(100)) != Array(AnimalsWorkload(seed: 2).prefix(100)))
  }

  /// Twenty seeds include a first fetch that fails and a table that becomes empty.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func workloadIsRealistic(seed: UInt64) {
    let fold = Fold(AnimalsWorkload(seed: seed).prefix(4_000))
    #expect((4...80).contains(fold.refused), "seed \(seed): \(fold.refused) refused")
    #expect((200...800).contains(fold.state.animals.data.count), "seed \(seed): \(fold.state.animals.data.count)")
    #expect(fold.state.categories.data.count == 6, "seed \(seed)")
    for kind in [ActionKind.addTapped, .added, .updateTapped, .updated, .deleteTappedInList, .deleted, .notUpdated] {
      #expect(fold.kinds[kind, default: 0] > 0, "seed \(seed): no \(kind)")
    }
  }

  @Test func workloadHasEveryKindOfAction() {
    var kinds: Set<ActionKind> = []
    for seed in 0..<40 as Range<UInt64> {
      kinds.formUnion(AnimalsWorkload(seed: seed).prefix(2_000).map { action in ActionKind(action) })
    }
    #expect(kinds == Set(ActionKind.allCases))
  }

  /// A result never precedes its request: at any time, there are at least as many requests as answers.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func answersFollowTheirRequests(seed: UInt64) {
    var waiting: Set<Animal.ID> = []
    for action in AnimalsWorkload(seed: seed).prefix(4_000) {
      switch action {
      case .ui(.animalEditor(.onTapAddAnimalButton(let id, name: _, diet: _, categoryId: _))):
        #expect(waiting.insert(id).inserted, "seed \(seed): the temporary id \(id) is used twice")
      case .data(.persistentSession(.didAddAnimal(let id, result: _))):
        #expect(waiting.remove(id) != nil, "seed \(seed): nobody asked for \(id)")
      default:
        break
      }
    }
    #expect(waiting.count <= 4)
  }
}

@Suite struct AnimalsStoryTests {
  @Test func storyEndsWithTheSecondOwl() throws {
    var state = AnimalsState()
    for step in AnimalsWorkload.story {
      try AnimalsModel.reduce(into: &state, action: step.action)
    }
    let owl = Animal(
      animalId: "2C8D9E61-47B5-4E1A-9F3D-0A6B84C5D7F8", name: "Barn owl", diet: .carnivorous, categoryId: "Bird")
    #expect(
      state
        == .with(
          categories: Category.samples, .success, animals: Animal.samples + [owl], .success,
          queue: [
            "5D0E52D3-6C1B-4F0F-9B53-2B7A3C1E9A10": .success,
            "Cat": .success,
            "Dog": .success,
            "Kangaroo": .success,
            "Newt": .failure(error: "database is locked"),
            "E7A94C7B-0D37-4B8A-8E0C-71F5D2B6C402": .success,
          ]))
  }

  @Test func storyIsShortAndHasPauses() {
    #expect(AnimalsWorkload.story.count == 23)
    #expect(AnimalsWorkload.story.allSatisfy { step in step.pause > .zero })
  }
}
