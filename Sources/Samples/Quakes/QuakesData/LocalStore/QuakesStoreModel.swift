public import EventSourcing
import TreeCollections

/// What a ``LocalStore`` keeps, as the engine sees it: the store is a log of its own, apart from the application's.
public enum QuakesStoreModel: Model {
  /// The name that logs of this model carry.
  public static let name = "quakes-store"
  /// The version of the shape of ``QuakesStoreAction``.
  public static let schema = 1
  /// Nothing.
  public static let initialState = QuakesStoreState()

  /// Folds one action into a state. It refuses none.
  ///
  /// - Complexity: O(number of quakes in the action).
  public static func reduce(into state: inout QuakesStoreState, action: QuakesStoreAction) {
    switch action {
    case .didSaveQuakes(let saved, let deleted):
      for quake in saved { state.quakes[quake.id] = quake }
      for quakeId in deleted { state.quakes[quakeId] = nil }
    case .didDeleteQuake(let quakeId):
      state.quakes[quakeId] = nil
    case .didDeleteAllQuakes:
      state.quakes = [:]
    }
  }
}

/// What a ``LocalStore`` holds.
public struct QuakesStoreState: Hashable, Codable, Sendable {
  package var quakes: QuakesState.Table<Quake.ID, Quake> = [:]

  /// Makes an empty state.
  public init() {}
}

/// What can happen to what a ``LocalStore`` holds. Only what changes something is recorded.
///
/// The names of cases and labels are the types and members of the records in a log: changing one changes the format and
/// needs a new schema version.
public enum QuakesStoreAction: Hashable, Codable, Sendable {
  /// New and changed quakes were stored, and others removed, in one step.
  case didSaveQuakes(saved: [Quake], deleted: [Quake.ID])
  /// A quake was deleted.
  case didDeleteQuake(quakeId: Quake.ID)
  /// All quakes were deleted.
  case didDeleteAllQuakes
}
