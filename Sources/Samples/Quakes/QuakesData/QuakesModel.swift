package import ActionLog
public import EventSourcing
import JSONCoding
import TreeCollections

/// The reducer of the quakes sample.
///
/// Deletions are optimistic: they are shown before the store has performed them. If the store fails, a compensating
/// action restores the quakes that are still stored. The guide notes that it lacks this rollback.
///
/// Every rule checks before it writes, so a refused action leaves the state unchanged in the in-place form as well.
public enum QuakesReducer {
  /// Returns the state after `action`.
  ///
  /// - Throws: An error with the message "quake not found" if the quake to delete does not exist.
  @Sendable public static func reduce(state: QuakesState, action: QuakesAction) throws -> QuakesState {
    var state = state
    try reduce(into: &state, action: action)
    return state
  }

  /// Folds `action` into `state`.
  ///
  /// - Throws: An error with the message "quake not found" if the quake to delete does not exist; `state` is then
  ///   unchanged.
  public static func reduce(into state: inout QuakesState, action: QuakesAction) throws {
    switch action {
    case .ui(.quakeList(let action)): try reduce(into: &state, action: action)
    case .data(.persistentSession(.localStore(let action))): reduce(into: &state, action: action)
    case .data(.persistentSession(.remoteStore(let action))): reduce(into: &state, action: action)
    }
  }

  private static func reduce(into state: inout QuakesState, action: QuakesAction.UI.QuakeList) throws {
    switch action {
    case .onAppear:
      if state.quakes.status == nil { state.quakes.status = .waiting }
    case .onTapRefreshQuakesButton(range: _):
      if state.quakes.status != .waiting { state.quakes.status = .waiting }
    case .onTapDeleteSelectedQuakeButton(let quakeId):
      guard state.quakes.data[quakeId] != nil else { throw Error(code: .quakeNotFound, quakeId: quakeId) }
      state.quakes.data[quakeId] = nil
    case .onTapDeleteAllQuakesButton:
      state.quakes.data = [:]
    }
  }

  private static func reduce(
    into state: inout QuakesState, action: QuakesAction.Data.PersistentSession.LocalStore
  ) {
    switch action {
    case .didFetchQuakes(.success(let quakes)):
      for quake in quakes { state.quakes.data[quake.id] = quake }
      state.quakes.status = .success
    case .didFetchQuakes(.failure(let error)):
      state.quakes.status = .failure(error: error)
    case .didFailToDeleteQuakes(let quakes, reason: _):
      // A quake that a feed has added since then is newer than the deleted one.
      for quake in quakes where state.quakes.data[quake.id] == nil { state.quakes.data[quake.id] = quake }
    }
  }

  private static func reduce(
    into state: inout QuakesState, action: QuakesAction.Data.PersistentSession.RemoteStore
  ) {
    switch action {
    case .didFetchQuakes(.success(let quakes)):
      for quake in quakes {
        // A feed withdraws a quake by removing its magnitude.
        if quake.magnitude > 0 {
          state.quakes.data[quake.id] = quake
        } else {
          state.quakes.data[quake.id] = nil
        }
      }
      state.quakes.status = .success
    case .didFetchQuakes(.failure(let error)):
      state.quakes.status = .failure(error: error)
    }
  }
}

extension QuakesReducer {
  /// The reason why an action was refused, and the quake it named.
  package struct Error: DescribedError, Equatable {
    package enum Code: String, Sendable {
      case quakeNotFound
    }

    package let code: Code
    package let quakeId: Quake.ID

    package init(code: Code, quakeId: Quake.ID) {
      self.code = code
      self.quakeId = quakeId
    }
  }
}

extension QuakesReducer.Error {
  package var message: String {
    switch code {
    case .quakeNotFound: "quake not found: there is no quake with the id '\(quakeId)'"
    }
  }

  package var location: ErrorLocation { ErrorLocation(pointer: JSONPointer(["quakes", "data", quakeId])) }

  package var intact: String? { "The state is unchanged." }

  /// The message, which names the location.
  package var headline: String { message }
}

/// The model of the quakes sample, which replays a ``QuakesState`` from a log.
public enum QuakesModel: Model {
  /// The model name in logs.
  public static let name = "quakes"
  /// The schema version of ``QuakesAction``.
  public static let schema = 1
  /// An empty table that was never fetched.
  public static let initialState = QuakesState()
  /// The first version of the reducer: the text changes with it.
  public static let sourceFingerprint: String? = ""

  /// Folds one action into a state; see ``QuakesReducer/reduce(into:action:)``.
  ///
  /// - Throws: The reducer's error if it refuses the action.
  public static func reduce(into state: inout QuakesState, action: QuakesAction) throws {
    try QuakesReducer.reduce(into: &state, action: action)
  }
}
