package import ActionLog
import JSONCoding

/// Decodes the state of a `@base` record and lifts it to the present schema.
///
/// - Throws: ``EventSourcingError`` with code `schemaTooOld` or `undecodableState`, `LogError` with code `schemaTooNew`.
func decodeBase<M: Model>(_ model: M.Type, from record: LogRecord, _ chain: SchemaChain) throws -> M.State {
  // A state of another schema that happens to decode may have another meaning, such as cents for dollars.
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
  /// The initial records of a log that begins at a state: the state, unless it is the model's initial state, and its digest.
  ///
  /// - Throws: The error of encoding the state.
  /// - Complexity: O(size of the state).
  package func startDrafts(of state: M.State) throws -> [LogDraft] {
    try RecordingSession<M>.startDrafts(state, fingerprint: try identity.fingerprint())
  }
}
