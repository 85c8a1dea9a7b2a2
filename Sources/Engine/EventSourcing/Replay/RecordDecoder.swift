package import ActionLog
import JSONCoding

/// The decoder of a model's records. Every action is decoded here, and every failure to decode or fold one is described here.
///
/// Whatever a record holds, the error names its location and the revisions that can still be read.
package struct RecordDecoder<M: Model>: Sendable {
  private let coder = ActionCoder<M.Action>()
  private let schema = M.schema
  package let chain: SchemaChain
  package let unknownTypes: UnknownTypePolicy
  /// The coder of states.
  package let states = StateCoder<M.State>()
  /// Adds the properties of records to decoded actions; `nil` unless a projection is folded.
  private let stamping = ActionStamping<M.Action>()

  /// Checks the model's evolution and looks up the generated decoding code, which takes longer than decoding an action.
  package init(unknownTypes: UnknownTypePolicy? = nil) throws(EventSourcingError) {
    let evolution = M.evolution
    chain = try SchemaChain(evolution, schema: M.schema, model: M.name)
    self.unknownTypes = unknownTypes ?? evolution.unknownTypes
  }
}

/// The actions that a record decodes to, usually one.
package struct DecodedActions<Action: Sendable>: Sendable {
  package var actions: [Action]
  package var isOpaque = false
}

extension RecordDecoder {
  /// Decodes the actions of a record; none if a redaction excludes it.
  package func actions(of record: LogRecord) throws -> DecodedActions<M.Action> {
    if record.isSkipped { return DecodedActions(actions: []) }
    var decoded = try actions(
      type: record.type, data: record.dataBytes, schema: record.schema, RecordSite(record))
    if let stamping { stamping.stamp(&decoded.actions, with: RecordStamp(record)) }
    return decoded
  }

  package func action(of form: ActionForm, revision: Int, time: LogTime) throws -> M.Action {
    var actions = [try ActionCoding.decode(M.Action.self, type: form.type, data: form.data)]
    if let stamping { stamping.stamp(&actions, with: RecordStamp(revision: revision, time: time, meta: nil)) }
    return actions[0]
  }

  package func actions(in batch: RecordBatch, at index: Int) throws -> DecodedActions<M.Action> {
    if batch.entries[index].isSkipped { return DecodedActions(actions: []) }
    var decoded = try actions(
      type: batch.type(at: index), data: batch.data(at: index), schema: batch.entries[index].schema,
      RecordSite(batch, at: index))
    if let stamping { stamping.stamp(&decoded.actions, with: RecordStamp(batch.entries[index], in: batch.bytes)) }
    return decoded
  }

  private func actions(
    type: String, data: ArraySlice<UInt8>, schema version: Int, _ site: @autoclosure () -> RecordSite
  ) throws -> DecodedActions<M.Action> {
    guard version <= schema else { throw chain.tooNew(version, model: M.name, site()) }
    guard version >= chain.oldest else { throw chain.tooOld(version, "the action", model: M.name, site()) }
    if version == schema || chain.readsUnchanged(type, of: version) {
      return try decode(type: type, data: data, isLifted: false, site())
    }
    let lifted: [StoredAction]
    do {
      let values: JSONObject = if case .object(let object) = try JSONValue(parsing: data) { object } else { [:] }
      lifted = try chain.lift(StoredAction(type: type, data: values), from: version)
    } catch {
      throw upcastFailed(error, site())
    }
    var result = DecodedActions<M.Action>(actions: [])
    for action in lifted {
      let one = try decode(
        type: action.type, data: JSONValue.object(action.data).bytes()[...], isLifted: true, site())
      result.actions += one.actions
      result.isOpaque = result.isOpaque || one.isOpaque
    }
    return result
  }

  private func decode(
    type: String, data: ArraySlice<UInt8>, isLifted: Bool, _ site: @autoclosure () -> RecordSite
  ) throws -> DecodedActions<M.Action> {
    do {
      return DecodedActions(actions: [try coder.decode(type: type, data: data)])
    } catch  where UnknownType.isMissing(type, error) {
      if unknownTypes == .keep { return DecodedActions(actions: [], isOpaque: true) }
      throw unknown(type, isLifted: isLifted, error, site())
    } catch {
      throw undecodable(type, isLifted: isLifted, error, site())
    }
  }

  func actionBatches(
    _ batches: RecordCursor, within bounds: FoldBounds
  ) -> ActionBatchIterator<M.Action> {
    ActionBatchIterator(batches, coder, wanted: bounds.folded, schemas: chain.unliftedVersions)
  }

  func decode(_ batch: inout ActionBatch<M.Action>, within bounds: FoldBounds) {
    decodeUnread(&batch, within: bounds)
    if let stamping { stamping.stamp(&batch, within: bounds) }
  }

  private func decodeUnread(_ batch: inout ActionBatch<M.Action>, within bounds: FoldBounds) {
    if batch.isComplete { return }
    var actions: [M.Action] = []
    actions.reserveCapacity(batch.records.entries.count)
    defer { batch.actions = actions }
    var read = batch.actions.makeIterator()
    var first = batch.records.entries.startIndex
    while let index = coder.decode(
      batch.records, from: first, within: bounds, chain: chain, read: &read, into: &actions)
    {
      // The record at `index` needs an upcaster, or decoding it again returns the error.
      do {
        let record = try self.actions(in: batch.records, at: index)
        actions += record.actions
        if record.actions.count != 1 {
          batch.exceptions.append(
            BatchException(record: index, count: record.actions.count, isOpaque: record.isOpaque))
        }
      } catch {
        batch.failure = error
        return
      }
      first = index + 1
    }
  }

  package func fold(
    _ action: M.Action, into state: inout M.State, at site: @autoclosure () -> RecordSite
  ) throws {
    do {
      try M.reduce(into: &state, action: action)
    } catch {
      throw refused(error, site())
    }
  }
}

extension ActionCoder {
  /// Decodes the actions of a batch in one call, because looking up the code of a generic type takes as long as decoding an action.
  ///
  /// - Returns: The index of the first record that does not decode unchanged, or that an upcaster lifts.
  fileprivate func decode(
    _ batch: RecordBatch, from first: Int, within bounds: FoldBounds, chain: SchemaChain,
    read: inout IndexingIterator<[Action]>, into actions: inout [Action]
  ) -> Int? {
    let schema = chain.schema
    for index in first..<batch.entries.endIndex {
      let entry = batch.entries[index]
      guard bounds.isFolded(entry) else { continue }
      if entry.isSkipped { return index }
      if entry.isActionRead, let action = read.next() {
        actions.append(action)
        continue
      }
      guard entry.schema == schema || chain.readsUnchanged(batch.type(at: index), of: entry.schema) else {
        return index
      }
      do {
        actions.append(try batch.withTypeAndData(at: index) { type, data in try decode(type: type, data: data) })
      } catch {
        return index
      }
    }
    return nil
  }
}

/// The record that an error names.
package struct RecordSite: Sendable {
  var revision: Int
  var type: String
  var path: String

  /// The sentence about the revisions before the site; `nil` if there are none.
  var readable: String? { revision > 0 ? "Revisions 0…\(revision - 1) can be read." : nil }

  init(_ base: LogBase, of log: String) {
    revision = base.revision
    type = ControlType.base.rawValue
    path = log + "/" + LogFormat.baseName
  }

  package init(_ record: LogRecord) {
    revision = record.revision
    type = record.type
    path = record.place.path
  }

  package init(_ batch: RecordBatch, at index: Int) {
    revision = batch.entries[index].revision
    type = batch.type(at: index)
    path = batch.path
  }
}

// MARK: - What is said when it cannot

extension RecordDecoder {
  private func upcastFailed(_ error: any Error, _ site: RecordSite) -> EventSourcingError {
    let failure = error as? UpcastFailure
    let step = failure.map { failure in " from schema \(failure.from) to \(failure.to)" } ?? ""
    return EventSourcingError(
      .upcastFailed,
      "the upcaster of '\(failure?.type ?? site.type)'\(step) failed",
      path: site.path,
      revision: site.revision,
      intact: site.readable,
      advice: "Correct the upcaster; the log itself is intact.",
      underlying: failure?.underlying ?? error
    )
  }

  private func unknown(
    _ type: String, isLifted: Bool, _ error: any Error, _ site: RecordSite
  ) -> EventSourcingError {
    EventSourcingError(
      .unknownType,
      "'\(M.name)' has no action '\(type)'\(isLifted ? ", which '\(site.type)' was lifted to" : "")",
      path: site.path,
      revision: site.revision,
      intact: site.readable,
      advice: "Lift it with an upcaster (\(.operation("compat")) prints one), or "
        + "keep unknown types as opaque records.",
      underlying: error
    )
  }

  private func undecodable(
    _ type: String, isLifted: Bool, _ error: any Error, _ site: RecordSite
  ) -> EventSourcingError {
    EventSourcingError(
      .undecodableAction,
      "'\(site.type)'\(isLifted ? ", lifted to '\(type)'," : "") does not decode as an action of '\(M.name)'",
      path: site.path,
      revision: site.revision,
      intact: site.readable,
      advice: "The log was written with other actions than this program has.",
      underlying: error
    )
  }

  func refused(_ error: any Error, _ site: RecordSite) -> EventSourcingError {
    EventSourcingError(
      .refusedInReplay,
      "the reducer refused an action that was accepted when it was recorded (\(site.type))",
      path: site.path,
      revision: site.revision,
      intact: site.readable,
      advice: "The reducer of '\(M.name)' has become stricter than it was; "
        + "let it accept the action again.",
      underlying: error
    )
  }
}

/// The test whether an action failed to decode because the model does not have its case, rather than because of its values.
enum UnknownType {
  /// Inspects the error that decoding an action of a type threw.
  ///
  /// A type is a path of cases: `ui.list.onTap` is decoded from `{"ui":{"_0":{"list":{"_0":{"onTap":{…}}}}}}`. If an enum lacks a
  /// case, the error's path ends at the enum, above the values. An error in the values has a path within them.
  static func isMissing(_ type: String, _ error: any Error) -> Bool {
    guard let context = context(of: error) else { return false }
    let parts = type.split(separator: ".", omittingEmptySubsequences: false)
    // An action that is not an enum has no type of its own.
    guard type != "_", type != "_0", !parts.isEmpty else { return false }
    let way = parts.dropLast().flatMap { part in [String(part), "_0"] }
    let path = context.codingPath.map(\.stringValue)
    // If an inner enum was replaced by another type, the error's path is one level deeper.
    return path.count <= way.count && way.starts(with: path)
  }

  private static func context(of error: any Error) -> DecodingError.Context? {
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context),
      DecodingError.valueNotFound(_, let context), DecodingError.keyNotFound(_, let context):
      context
    default: nil
    }
  }
}
