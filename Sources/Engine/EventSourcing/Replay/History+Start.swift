package import ActionLog

extension History {
  /// What a log begins with that begins at a state: the state, unless it is the model's initial one, and its digest.
  ///
  /// - Throws: What the state's coding throws.
  /// - Complexity: O(size of the state).
  package func startDrafts(of state: M.State) throws -> [LogDraft] {
    try RecordingSession<M>.startDrafts(state, fingerprint: try identity.fingerprint())
  }
}
