import TreeCollections

/// What has to be done because of an action: decided from the state before and the folded state, never from the live
/// one, which after a burst of actions is that of a later moment.
package enum QuakesEffect: Hashable, Sendable {
  /// Fetch what is stored on this device.
  case fetchStored
  /// Fetch a feed.
  case fetchFeed(range: QuakesAction.UI.QuakeList.RefreshQuakesRange)
  /// Delete a quake from the store; when that fails, bring it back.
  case delete(quakeId: Quake.ID, lost: [Quake])
  /// Delete all quakes from the store; when that fails, bring them back, in ascending order of their ids.
  case deleteAll(lost: [Quake])
  /// Take over into the store what changed.
  case save(QuakeChanges)

  /// Decides.
  ///
  /// - Parameters:
  ///   - oldState: The state that the action met.
  ///   - action: The action, which was accepted.
  /// - Returns: `nil` when nothing has to be done.
  /// - Throws: The reducer's error, when it would refuse the action.
  /// - Complexity: That of the reducer, and O(n log n) when all *n* quakes are deleted.
  package init?(of action: QuakesAction, in oldState: QuakesState) throws {
    switch action {
    case .ui(.quakeList(.onAppear)):
      guard try Self.startsWaiting(action, in: oldState) else { return nil }
      self = .fetchStored
    case .ui(.quakeList(.onTapRefreshQuakesButton(let range))):
      guard try Self.startsWaiting(action, in: oldState) else { return nil }
      self = .fetchFeed(range: range)
    case .ui(.quakeList(.onTapDeleteSelectedQuakeButton(let quakeId))):
      self = .delete(quakeId: quakeId, lost: oldState.quakes.data[quakeId].map { quake in [quake] } ?? [])
    case .ui(.quakeList(.onTapDeleteAllQuakesButton)):
      self = .deleteAll(lost: oldState.quakes.data.values.sorted { lhs, rhs in lhs.id < rhs.id })
    case .data(.persistentSession(.remoteStore(.didFetchQuakes(result: .success(let quakes))))):
      let newState = try QuakesReducer.reduce(state: oldState, action: action)
      self = .save(QuakeChanges(of: quakes, from: oldState, to: newState))
    case .data(.persistentSession(.localStore(.didFailToDeleteQuakes(let quakes, reason: _)))):
      // The quakes are stored still, unless a later deletion reached the store first: the store follows the order of
      // the actions, so what came back in the state comes back in the store.
      let newState = try QuakesReducer.reduce(state: oldState, action: action)
      let changes = QuakeChanges(of: quakes, from: oldState, to: newState)
      if changes.isEmpty { return nil }
      self = .save(changes)
    case .data(.persistentSession(.localStore(.didFetchQuakes))),
      .data(.persistentSession(.remoteStore(.didFetchQuakes(result: .failure)))):
      return nil
    }
  }

  private static func startsWaiting(_ action: QuakesAction, in oldState: QuakesState) throws -> Bool {
    let newState = try QuakesReducer.reduce(state: oldState, action: action)
    return oldState.quakes.status != .waiting && newState.quakes.status == .waiting
  }
}
