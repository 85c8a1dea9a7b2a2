import ActionLog
import EventSourcing
import JSONCoding

/// An action to record, with its metadata.
struct ActionSubmission<M: Model>: Sendable {
  var action: M.Action
  var meta: RecordMeta?
  /// The locations of the members of its line that the action has no value for.
  var ignored: [String] = []
}

extension ActionSubmission {
  /// Lines of this length, a sixteenth of the limit, may become records beyond the limit.
  private static var carefulBytes: Int { LineReader.lineLimitBytes / 16 }

  /// Decodes the action of a line.
  init(_ line: ActionLine, isRedactable: Bool) throws(LineRefusal) {
    meta = line.meta.map { meta in RecordMeta(meta) }
    do {
      action = try ActionCoding.decode(M.Action.self, type: line.form.type, data: line.form.data)
    } catch {
      throw LineRefusal(
        .unknownAction,
        "'\(JSONPointer.excerpt(of: line.form.type))' with this data is not an action of '\(M.name)': \(CodingFault(error))"
      )
    }
    if line.sizeBytes >= Self.carefulBytes { try check(isRedactable: isRedactable) }
    // The recorder reports an action that cannot be encoded.
    do { ignored = try line.form.members(missingIn: ActionCoding.encode(action)) } catch {}
  }

  /// Refuses an action that could be dispatched but not recorded, which would end the recording permanently.
  private func check(isRedactable: Bool) throws(LineRefusal) {
    do {
      try LogWriter.check(
        [LogDraft(try ActionCoding.encode(action), meta: meta?.bytes)], isRedactable: isRedactable)
    } catch {
      throw LineRefusal(.beyondLimit, ToolFailure(any: error).message)
    }
  }
}
