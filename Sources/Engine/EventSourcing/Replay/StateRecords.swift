package import ActionLog
import JSONCoding

/// The state of a `@base` record, lifted to the present schema.
///
/// - Throws: ``EventSourcingError`` with code `schemaTooOld` or `undecodableState`, `LogError` with code `schemaTooNew`.
func decodeBase<M: Model>(_ model: M.Type, from record: LogRecord, _ chain: SchemaChain) throws -> M.State {
  // What decodes all the same may mean something else: cents that were dollars.
  guard record.schema <= chain.schema else { throw chain.tooNew(record.schema, model: M.name, RecordSite(record)) }
  guard record.schema >= chain.oldest else {
    throw chain.tooOld(record.schema, "the state that the log begins with", model: M.name, RecordSite(record))
  }
  do {
    let base = BaseRecord(record)
    guard record.schema < chain.schema else { return try base.state(as: M.State.self) }
    let value = try base.json().map { json in try JSONValue(parsing: json) } ?? .null
    let state = try chain.liftBase(value, from: record.schema)
    return try StrictJSONDecoder().decode(M.State.self, from: state.bytes())
  } catch {
    throw EventSourcingError(
      .undecodableState,
      "the state that the log begins with does not decode as a state of '\(M.name)'",
      path: record.place.path,
      seq: 0,
      advice: "The log was written with another state than this program has.",
      underlying: error
    )
  }
}

extension History {
  /// What a log begins with that begins at a state: the state, unless it is the model's initial one, and its digest.
  ///
  /// - Throws: What the state's coding throws.
  /// - Complexity: O(size of the state).
  package func startDrafts(of state: M.State) throws -> [LogDraft] {
    try RecordingSession<M>.startDrafts(state, fingerprint: try identity.fingerprint())
  }
}
