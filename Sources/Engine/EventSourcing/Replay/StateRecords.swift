package import ActionLog
import JSONCoding

// What the control records of a log mean to a model.

/// The data of a `@base` record.
struct BaseRecord<State: Codable>: Codable {
  var state: State
}

/// The data of a `@digest` record. A member that is missing or of another type is empty, and agrees with nothing.
struct DigestRecord {
  /// The digest of the state: 64 hexadecimal digits.
  var state = ""
  /// The fingerprint of the code that folded it.
  var reducer = ""

  init(_ record: LogRecord) throws(JSONError) {
    let root = try JSONTape(parsing: record.dataBytes, keeping: ["state", "reducer"]).root
    state = root["state"]?.string() ?? ""
    reducer = root["reducer"]?.string() ?? ""
  }
}

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
    guard record.schema < chain.schema else {
      return try StrictJSONDecoder().decode(BaseRecord<M.State>.self, from: record.data).state
    }
    let root = try JSONTape(parsing: record.dataBytes).root
    let state = try chain.liftBase(root["state"].map { node in JSONValue(node) } ?? .null, from: record.schema)
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
