import TreeCollections

/// A side effect of an action.
///
/// It is derived from the state before the action and the reduced state, never from the live state, which can include
/// later actions.
package enum QuakesEffect: Hashable, Sendable {
  /// Fetch the quakes that are stored on this device.
  case fetchStored
  /// Fetch a feed.
  case fetchFeed(range: QuakesAction.UI.QuakeList.RefreshQuakesRange)
  /// Delete a quake from the store; if that fails, restore it.
  case delete(quakeId: Quake.ID, lost: [Quake])
  /// Delete all quakes from the store; if that fails, restore them, in ascending order of their ids.
  case deleteAll(lost: [Quake])
  /// Store the changes.
  case save(QuakeChanges)

  /// Creates the effect of an accepted action.
  ///
  /// - Parameters:
  ///   - oldState: The state before the action.
  ///   - action: The action.
  /// - Returns: `nil` if the action has no effect.
  /// - Throws: The reducer's error if it refuses the action.
  /// - Complexity: The complexity of the reducer, and O(*n* log *n*) if all *n* quakes are deleted.
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
      // The quakes are still stored, unless a later deletion reached the store first. The store follows the order of
      // the actions, so the quakes restored in the state are saved again.
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

/// The changes of an action with quakes, to be saved in the local store.
package struct QuakeChanges: Hashable, Sendable {
  /// New quakes.
  package var inserted: [Quake] = []
  /// Existing quakes that changed.
  package var updated: [Quake] = []
  /// Removed quakes.
  package var deleted: [Quake] = []

  /// Compares the states before and after an action.
  ///
  /// - Parameters:
  ///   - quakes: The quakes of the action, in its order. The last one of several with the same id is used.
  ///   - oldState: The state before the action.
  ///   - newState: The result of the reducer for `oldState`, which includes no later actions.
  /// - Complexity: O(*n*) in the number of quakes.
  package init(of quakes: [Quake], from oldState: QuakesState, to newState: QuakesState) {
    var lastPositions: [Quake.ID: Int] = [:]
    for (position, quake) in quakes.enumerated() { lastPositions[quake.id] = position }
    for (position, quake) in quakes.enumerated() where lastPositions[quake.id] == position {
      switch (oldState.quakes.data[quake.id], newState.quakes.data[quake.id]) {
      case (nil, let new?): inserted.append(new)
      case (let old?, let new?) where old != new: updated.append(new)
      case (_?, nil): deleted.append(quake)
      default: break
      }
    }
  }

  /// Computes the changes to stored quakes when a feed is merged in, by the rules of the reducer.
  ///
  /// - Throws: Errors of the reducer, which refuses no feed.
  /// - Complexity: O(*n*) in the number of quakes.
  package init(of fetched: [Quake], mergedInto stored: [Quake]) throws {
    let start = try QuakesReducer.reduce(
      state: QuakesState(),
      action: .data(.persistentSession(.localStore(.didFetchQuakes(result: .success(quakes: stored))))))
    let end = try QuakesReducer.reduce(
      state: start, action: .data(.persistentSession(.remoteStore(.didFetchQuakes(result: .success(quakes: fetched))))))
    self.init(of: fetched, from: start, to: end)
  }

  /// Whether nothing changed.
  package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}
