import TreeCollections

/// The rules of the quakes sample.
///
/// Deletions are shown at once, before the store has them ("optimistic"). When the store then fails, a compensating
/// action brings back what is still stored; the guide names this roll-back as missing.
///
/// Every rule checks before it writes, so an action that is refused leaves the state untouched in the in-place form
/// too.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 10.
public enum QuakesReducer {
  /// Returns the state after `action`.
  ///
  /// - Throws: An error that says "quake not found" when the quake to delete does not exist.
  /// - Complexity: That of ``reduce(into:action:)`` and, because the caller keeps the old state, a copy of the table
  ///   when it is written.
  @Sendable public static func reduce(state: QuakesState, action: QuakesAction) throws -> QuakesState {
    var state = state
    try reduce(into: &state, action: action)
    return state
  }

  /// Folds `action` into `state`.
  ///
  /// - Throws: An error that says "quake not found" when the quake to delete does not exist; `state` is then unchanged.
  /// - Complexity: O(1), for fetched and for restored quakes O(their number).
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
      // What a feed brought in the meantime is newer than what was deleted.
      for quake in quakes where state.quakes.data[quake.id] == nil { state.quakes.data[quake.id] = quake }
    }
  }

  private static func reduce(
    into state: inout QuakesState, action: QuakesAction.Data.PersistentSession.RemoteStore
  ) {
    switch action {
    case .didFetchQuakes(.success(let quakes)):
      for quake in quakes {
        // A feed withdraws a quake by taking its magnitude away.
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
