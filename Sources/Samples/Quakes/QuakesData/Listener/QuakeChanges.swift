import TreeCollections

/// What an action with quakes in it changed, as the store on this device has to take it over.
package struct QuakeChanges: Hashable, Sendable {
  /// Quakes that were not there.
  package var inserted: [Quake] = []
  /// Quakes that were there, and are different now.
  package var updated: [Quake] = []
  /// Quakes that are not there any more.
  package var deleted: [Quake] = []

  /// Compares two states.
  ///
  /// - Parameters:
  ///   - quakes: What the action brought, in its order. Of several with one id the last one counts.
  ///   - oldState: The state before the action.
  ///   - newState: The state after it, folded from `oldState`, so that what happened later does not matter.
  /// - Complexity: O(number of quakes).
  package init(of quakes: [Quake], from oldState: QuakesState, to newState: QuakesState) {
    var places: [Quake.ID: Int] = [:]
    for (place, quake) in quakes.enumerated() { places[quake.id] = place }
    for (place, quake) in quakes.enumerated() where places[quake.id] == place {
      switch (oldState.quakes.data[quake.id], newState.quakes.data[quake.id]) {
      case (nil, let new?): inserted.append(new)
      case (let old?, let new?) where old != new: updated.append(new)
      case (_?, nil): deleted.append(quake)
      default: break
      }
    }
  }

  /// Compares what is stored with what becomes of it when a feed is merged in, by the rules of the reducer.
  ///
  /// - Throws: What the reducer throws; it refuses no feed.
  /// - Complexity: O(number of quakes).
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
