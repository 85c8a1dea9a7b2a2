/// The state at the end of what was recorded, as a recorder knows it: a stream carries the state *before* an action.
enum LastState<M: Model>: Sendable {
  /// A state that is known.
  case restored(M.State)
  /// The state that an accepted action led to.
  case after(M.State, M.Action)

  /// The state; reduces when it has to.
  ///
  /// - Throws: The reducer's error, which an accepted action does not meet again unless the reducer is impure.
  func state() throws -> M.State {
    switch self {
    case .restored(let state): state
    case .after(let state, let action): try M.reducer(state, action)
    }
  }

  /// The state, for a policy that is asked about an action that the store has accepted with the same reducer.
  ///
  /// Should an impure reducer refuse it all the same, this is the state before; nothing is written from it.
  var stateOfAcceptedAction: M.State {
    switch self {
    case .restored(let state): return state
    case .after(let state, let action):
      do { return try M.reducer(state, action) } catch { return state }
    }
  }
}
