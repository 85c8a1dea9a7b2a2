/// The store on this device, as a session uses it.
public protocol PersistentSessionLocalStore: Sendable {
  /// All quakes that are stored.
  func fetchLocalQuakesQuery() async throws -> [Quake]

  /// Takes over what a feed, or a deletion that was taken back, changed. Either all of it is stored or nothing.
  ///
  /// - Parameters:
  ///   - inserted: New quakes. One that is there already, or named twice, is no error: the last one counts.
  ///   - updated: Quakes that changed. One that is not there is skipped.
  ///   - deleted: Quakes that are to go. One that is not there is no error.
  func didFetchRemoteQuakesMutation(inserted: [Quake], updated: [Quake], deleted: [Quake]) async throws

  /// Deletes a quake. One that is not there is no error.
  func deleteLocalQuakeMutation(quakeId: Quake.ID) async throws

  /// Deletes all quakes.
  func deleteLocalQuakesMutation() async throws
}
