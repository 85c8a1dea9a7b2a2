package import QuakesData

/// Feeds from anywhere, as one type: which ones, is known only when a command line has been read.
package struct AnyRemoteStore: PersistentSessionRemoteStore {
  private let store: any PersistentSessionRemoteStore

  /// Hides the type of some feeds.
  package init(_ store: some PersistentSessionRemoteStore) {
    self.store = store
  }

  /// Fetches a feed.
  package func fetchRemoteQuakesQuery(
    range: QuakesAction.UI.QuakeList.RefreshQuakesRange
  ) async throws -> [Quake] {
    try await store.fetchRemoteQuakesQuery(range: range)
  }
}
