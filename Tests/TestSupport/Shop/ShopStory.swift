package import ActionLog
import EventSourcing
import ImmutableData
import JSONCoding

/// What was recorded in the shop over the years, by one program after the other into one log.
package enum ShopStory {
  package static let first: [ShopV1.Action] = [
    .didReceive(name: "tea", count: 5), .didHover(name: "tea"), .ui(.onTapSell(name: "tea")),
    .didReceive(name: "jam", count: 1), .ui(.onTapMove(from: "jam", to: "tea")),
  ]
  package static let second: [ShopV2.Action] = [
    .didReceive(name: "rye", count: 3), .ui(.onTapSellButton(name: "rye")), .didTake(name: "rye"), .didPut(name: "tea"),
  ]
  package static let third: [ShopV3.Action] = [
    .didReceive(name: "oil", count: 2, supplier: "ann"), .ui(.onTapSellButton(name: .init(text: "oil"))),
  ]

  /// The state after each revision, as the present shop sees it, written by hand.
  package static let states: [[String: Int]] = [
    [:],
    ["tea": 5], ["tea": 5], ["tea": 4], ["tea": 4, "jam": 1], ["tea": 5, "jam": 0],
    ["tea": 5, "jam": 0, "rye": 3], ["tea": 5, "jam": 0, "rye": 2], ["tea": 5, "jam": 0, "rye": 1],
    ["tea": 6, "jam": 0, "rye": 1],
    ["tea": 6, "jam": 0, "rye": 1, "oil": 2], ["tea": 6, "jam": 0, "rye": 1, "oil": 1],
  ]

  /// Records the story, as far as a version of the program.
  @MainActor package static func record(
    from oldest: Int = 1, through schema: Int = 3, at path: String = "shop", in disk: any LogFileSystem,
    environment: LogEnvironment
  ) async throws {
    if oldest == 1 { try await dispatch(first, as: ShopV1.self, at: path, in: disk, environment) }
    if schema >= 2, oldest <= 2 { try await dispatch(second, as: ShopV2.self, at: path, in: disk, environment) }
    if schema >= 3 { try await dispatch(third, as: ShopV3.self, at: path, in: disk, environment) }
  }

  @MainActor private static func dispatch<M: Model>(
    _ actions: [M.Action], as model: M.Type, at path: String, in disk: any LogFileSystem, _ environment: LogEnvironment
  ) async throws {
    var log = LogConfiguration()
    log.environment = environment
    let configuration = RecordingConfiguration<M>(log: log, snapshots: .every(3), retention: .all)
    let store = try RecordingStore<M>(opening: path, configuration: configuration, fileSystem: disk)
    for action in actions { try store.dispatch(action: action) }
    try await store.close()
  }
}
