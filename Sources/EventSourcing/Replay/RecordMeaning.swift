package import ActionLog

/// What the records of a log mean to a model: the one place where an action is decoded and folded, and where it is said why
/// one cannot be.
///
/// Whatever a record holds, the error names its place and what can still be read.
package struct RecordMeaning<M: Model>: Sendable {
  private let coder = ActionCoder<M.Action>()
  private let schema = M.schema
  /// How states are written and read.
  let states = StateCoder<M.State>()

  /// Looks up how actions are decoded, which costs more than decoding one.
  package init() {}
}

extension RecordMeaning {
  /// The action of a record.
  ///
  /// - Throws: `LogError.Code.schemaTooNew`, ``EventSourcingError/Code/undecodableAction``.
  /// - Complexity: O(length of the record).
  package func action(of record: LogRecord) throws -> M.Action {
    guard record.schema <= schema else { throw tooNew(record.schema, RecordSite(record)) }
    do {
      return try coder.decode(record)
    } catch {
      throw undecodable(error, RecordSite(record))
    }
  }

  /// The action of a record of a batch.
  ///
  /// - Throws: `LogError.Code.schemaTooNew`, ``EventSourcingError/Code/undecodableAction``.
  /// - Complexity: O(length of the record); benchmark "replay".
  package func action(in batch: RecordBatch, at index: Int) throws -> M.Action {
    guard batch.entries[index].schema <= schema else {
      throw tooNew(batch.entries[index].schema, RecordSite(batch, at: index))
    }
    do {
      return try batch.withTypeAndData(at: index) { type, data in try coder.decode(type: type, data: data) }
    } catch {
      throw undecodable(error, RecordSite(batch, at: index))
    }
  }

  /// Decodes the actions of a batch that a fold looks at.
  ///
  /// - Parameter actions: Where they are appended.
  /// - Returns: Why the action behind the last one cannot be had.
  /// - Complexity: O(length of the batch); benchmark "replay".
  func decode(_ batch: RecordBatch, within bounds: FoldBounds, into actions: inout [M.Action]) -> (any Error)? {
    var first = batch.entries.startIndex
    while let index = coder.decode(batch, from: first, within: bounds, schema: schema, into: &actions) {
      // The record at which it stopped is looked at once more, to say what is wrong with it.
      do {
        actions.append(try action(in: batch, at: index))
      } catch {
        return error
      }
      first = index + 1
    }
    return nil
  }

  /// Folds the action of a record into a state.
  ///
  /// - Parameter site: The record; asked for when the reducer refuses.
  /// - Throws: ``EventSourcingError/Code/refusedInReplay``. What is then left in `state` is thrown away.
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
  /// Decodes the actions of a batch, all in one call: finding the code of a generic type costs as much as decoding an action.
  ///
  /// - Returns: The index of the first that does not decode, or is of a later schema.
  fileprivate func decode(
    _ batch: RecordBatch, from first: Int, within bounds: FoldBounds, schema: Int, into actions: inout [Action]
  ) -> Int? {
    for index in first..<batch.entries.endIndex {
      let entry = batch.entries[index]
      guard bounds.isFolded(entry) else { continue }
      guard entry.schema <= schema else { return index }
      do {
        actions.append(try batch.withTypeAndData(at: index) { type, data in try decode(type: type, data: data) })
      } catch {
        return index
      }
    }
    return nil
  }
}

/// Which record it is, as errors name it.
package struct RecordSite: Sendable {
  var seq: Int
  var type: String
  var path: String

  /// The site of a record.
  package init(_ record: LogRecord) {
    seq = record.seq
    type = record.type
    path = record.place.path
  }

  /// The site of a record of a batch.
  package init(_ batch: RecordBatch, at index: Int) {
    seq = batch.entries[index].seq
    type = batch.type(at: index)
    path = batch.path
  }
}

// MARK: - What is said when it cannot

extension RecordMeaning {
  private func tooNew(_ recorded: Int, _ site: RecordSite) -> LogError {
    LogError(
      .schemaTooNew,
      "the log was written by schema \(recorded) of '\(M.name)', this program has schema \(schema)",
      path: site.path,
      seq: site.seq,
      advice: "Revisions 0…\(site.seq - 1) can be read. Use the program that wrote the log, or a newer one."
    )
  }

  private func undecodable(_ error: any Error, _ site: RecordSite) -> EventSourcingError {
    EventSourcingError(
      .undecodableAction,
      "'\(site.type)' does not decode as an action of '\(M.name)'",
      path: site.path,
      seq: site.seq,
      advice: "Revisions 0…\(site.seq - 1) can be read. "
        + "The log was written with other actions than this program has.",
      underlying: error
    )
  }

  /// Why a record's action cannot be folded.
  func refused(_ error: any Error, _ site: RecordSite) -> EventSourcingError {
    EventSourcingError(
      .refusedInReplay,
      "the reducer refused an action that was accepted when it was recorded (\(site.type))",
      path: site.path,
      seq: site.seq,
      advice: "Revisions 0…\(site.seq - 1) can be read. The reducer of '\(M.name)' has become stricter than it was; "
        + "let it accept the action again.",
      underlying: error
    )
  }
}
