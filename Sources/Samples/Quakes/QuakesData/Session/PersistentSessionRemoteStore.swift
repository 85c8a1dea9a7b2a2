/// The feeds, as a session uses them.
public protocol PersistentSessionRemoteStore: Sendable {
  /// Fetches a feed.
  ///
  /// - Parameter range: How far back the feed reaches.
  func fetchRemoteQuakesQuery(range: QuakesAction.UI.QuakeList.RefreshQuakesRange) async throws -> [Quake]
}
