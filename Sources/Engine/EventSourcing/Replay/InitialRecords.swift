package import ActionLog
import JSONCoding

/// The records at revision 0 of a model's log: `@base` with the initial state, unless it is the model's own, and `@digest`.
enum InitialRecords<M: Model> {
  static func drafts(of state: M.State, fingerprint: String) throws -> [LogDraft] {
    let bytes = try canonicalBytes(of: state)
    var base: [LogDraft] = []
    if !areSame(state, M.initialState) {
      // The log could not be opened again.
      try StateCoder<M.State>.codable.check(bytes, of: state)
      base = [LogDraft(try BaseRecord(state))]
    }
    let digest = StateDigest(canonicalBytes: bytes)
    return base + [LogDraft(DigestRecord(state: digest.hexadecimal, reducer: fingerprint))]
  }

  /// Writes the initial records that the log at a writer's path does not have yet.
  ///
  /// A crash can occur between the first segment and these records, so the records that exist decide, and not the process that
  /// created the log.
  static func write(
    base: M.State?, fingerprint: String, path: String, writer: LogWriter, fileSystem: any LogFileSystem,
    chain: SchemaChain
  ) throws {
    guard writer.opening.lastRevision == 0 else { return }
    var types: Set<ControlType> = []
    var state = M.initialState
    var records = try LogReader.open(at: path, fileSystem: fileSystem).records(from: 0)
    while let record = try records.next(), record.isControl {
      guard let type = record.controlType else { continue }
      types.insert(type)
      if type == .base { state = try decodeBase(record, chain) }
    }
    guard !types.contains(.digest) else { return }
    if let base, !types.contains(.base) { state = base }
    var drafts = try drafts(of: state, fingerprint: fingerprint)
    if types.contains(.base) { drafts.removeAll { draft in draft.type == ControlType.base.rawValue } }
    _ = try writer.writeNow(drafts)
    _ = try writer.syncNow()
  }

  static func decodeBase(_ record: LogRecord, _ chain: SchemaChain) throws -> M.State {
    if let projected = M.self as? any ProjectedModel.Type,
      let state = try projected.state(startingFrom: record, chain) as? M.State
    {
      return state
    }
    return try decodeBase(BaseRecord(record), schema: record.schema, site: RecordSite(record), chain)
  }

  /// Decodes the state of the base of a pruned log and lifts it to the present schema.
  static func state(of base: LogBase, path: String, _ chain: SchemaChain) throws -> M.State {
    if let projected = M.self as? any ProjectedModel.Type,
      let state = try projected.state(startingFrom: base, path: path, chain) as? M.State
    {
      return state
    }
    return try decodeBase(
      BaseRecord(json: base.state), schema: base.schema, site: RecordSite(base, of: path), chain)
  }

  private static func decodeBase(
    _ base: BaseRecord, schema: Int, site: RecordSite, _ chain: SchemaChain
  ) throws -> M.State {
    // A state of another schema that happens to decode may have another meaning, such as cents for dollars.
    guard schema <= chain.schema else { throw chain.tooNew(schema, model: M.name, site) }
    guard schema >= chain.oldest else {
      throw chain.tooOld(schema, "the state that the log begins with", model: M.name, site)
    }
    do {
      guard schema < chain.schema else { return try base.state(as: M.State.self) }
      let value = try base.json().map { json in try JSONValue(parsing: json) } ?? .null
      let state = try chain.liftBase(value, from: schema)
      return try StrictJSONDecoder().decode(M.State.self, from: state.bytes())
    } catch {
      throw EventSourcingError(
        .undecodableState,
        "the state that the log begins with does not decode as a state of '\(M.name)'",
        path: site.path,
        revision: site.revision,
        advice: "The log was written with another state than this program has.",
        underlying: error
      )
    }
  }
}

extension History {
  package func initialDrafts(of state: M.State) throws -> [LogDraft] {
    try InitialRecords<M>.drafts(of: state, fingerprint: try identity.fingerprint())
  }
}
