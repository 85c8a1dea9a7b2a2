import ActionLog
import JSONCoding

/// Makes the action of a log from one of Redux.
struct ReduxActionReader {
  private static let standard: Set<String> = ["type", "payload", "error", "meta"]

  /// Reads an action.
  ///
  /// - Parameters:
  ///   - node: The action.
  ///   - pointer: Where it stands.
  /// - Throws: ``InterchangeError`` with the place.
  static func read(
    _ node: JSONTape.Node, at pointer: JSONPointer
  ) throws(InterchangeError) -> (action: ImportedAction, remark: ReduxRemark) {
    guard case .object(let object) = try PlainNames.plain(JSONValue(node), at: pointer) else {
      throw InterchangeError(.wrongShape, "an action is an object with a \"type\"", pointer: pointer.description)
    }
    guard case .string(let type)? = object["type"] else {
      throw InterchangeError(
        .wrongShape, "the action has no \"type\" that is a text", pointer: pointer.description,
        advice: "Redux DevTools do not take it either.")
    }
    var remark = ReduxRemark()
    let name = ActionName.storable(type)
    if name != type { remark.type = type }
    var (data, meta) = (JSONObject(), JSONObject())
    if object.allSatisfy({ name, _ in standard.contains(name) }) {
      switch object["payload"] {
      case nil: break
      case .object(let payload)?: data = payload
      case let value?:
        data[ForeignEvent.wrapper] = value
        remark.isBare = true
      }
      remark.error = object["error"]
      switch object["meta"] {
      case nil: break
      case .object(let own)?: meta = own
      case let other?: remark.meta = other
      }
    } else {
      remark.isFlat = true
      data = object
      data["type"] = nil
      // It is written again from the remarks.
      if case .object(let own)? = object["meta"], Self.isOurs(own) {
        meta = own
        data["meta"] = nil
      }
    }
    do throws(InterchangeError) {
      var action = ImportedAction(type: try ActionName.checked(name), data: JSONValue.object(data).bytes())
      takeMeta(meta, into: &action)
      action.pointer = pointer.description
      return (action: action, remark: remark)
    } catch {
      var placed = error
      placed.pointer = pointer.description
      throw placed
    }
  }

  /// Whether remarks are those that an export writes: with the number that an action of a log can have.
  private static func isOurs(_ meta: JSONObject) -> Bool {
    guard case .number(let number)? = meta["seq"], let seq = number.int, (1...LogFormat.seqLimit).contains(seq),
      case .string(let time)? = meta["time"]
    else { return false }
    return LogTime(parsing: time) != nil
  }

  private static func takeMeta(_ meta: JSONObject, into action: inout ImportedAction) {
    guard isOurs(meta), case .number(let seq)? = meta["seq"], case .string(let time)? = meta["time"] else {
      action.meta = meta
      return
    }
    action.seq = seq.int
    action.time = LogTime(parsing: time)
    if case .number(let schema)? = meta["schema"] { action.schema = schema.int }
    if case .object(let record)? = meta["record"] {
      action.meta = record
    } else {
      action.meta = meta
      for name in ReduxActionWriter.own { action.meta[name] = nil }
    }
  }
}
