import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import ImmutableUI
import TestSupport
import TimeTravel

/// A model whose state differs at every revision.
enum Walk: Model {
  struct State: Codable, Equatable, Sendable {
    var steps = 0
    var place = 0
  }

  enum Action: Codable, Equatable, Sendable {
    case step(Int)
  }

  static let name = "walk"
  static let schema = 1
  static let initialState = State()

  static func reduce(into state: inout State, action: Action) {
    guard case .step(let width) = action else { return }
    state.steps += 1
    state.place += width
  }
}

// The screen of a walk. It knows only that its store can be read and followed.
// begin: screen
@MainActor
struct WalkScreen<
  Store: ImmutableData.Selector<Walk.State> & Streamer<Walk.State, Walk.Action> & AnyObject
> {
  private let steps: Selection<Store, Int>
  private let place: Selection<Store, Int, Int>

  init(_ store: Store) {
    steps = Selection(store, outputSelector: \.steps)
    place = Selection(
      store, filter: { _, action in action != .step(0) }, dependencySelector: \.place, outputSelector: \.place)
  }

  var text: String { "\(place.output) after \(steps.output) steps" }
}
// end: screen

/// A recorded walk, with the text that a screen of the live store showed at each revision.
@MainActor struct RecordedWalk {
  let disk = MemoryFileSystem()
  private(set) var shown: [String] = []

  /// Records a walk in which some steps do not move.
  init(steps count: Int, seed: UInt64 = 1) async throws {
    var random = SeededGenerator(seed: seed)
    var configuration = RecordingConfiguration<Walk>()
    configuration.log.durability = .written
    let store = try RecordingStore<Walk>(at: "walk", configuration: configuration, fileSystem: disk)
    let screen = WalkScreen(store)
    shown.append(screen.text)
    for number in 1...count {
      try store.dispatch(action: .step(Int.random(in: -3...3, using: &random)))
      shown.append(
        await value(of: { screen.text }) { text in
          text.hasSuffix("after \(number) steps") && text.hasPrefix("\(store.state.place) ")
        })
    }
    try await store.close()
  }

  func observer(at revision: Int) async throws -> HistoryObserver<Walk> {
    await HistoryObserver(try History<Walk>(at: "walk", fileSystem: disk).cursor(at: .revision(revision)))
  }
}
