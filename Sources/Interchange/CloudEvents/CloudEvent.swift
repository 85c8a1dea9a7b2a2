import ActionLog
import JSONCoding

/// One event as it was read: its attributes checked, its values where they stand.
struct CloudEvent {
  let object: JSONObject
  let id: String
  let source: String
  let type: String
  private let root: JSONTape.Node

  private static let dataMember = "data"
  private static let binaryMember = "data_base64"

  init(_ bytes: ArraySlice<UInt8>) throws(InterchangeError) {
    do throws(JSONError) { root = try JSONTape(parsing: bytes).root } catch {
      throw InterchangeError(json: error)
    }
    guard root.kind == .object else {
      throw InterchangeError(
        .wrongShape, "an event is an object",
        advice: root.kind == .array ? "A batch becomes lines with: jq -c '.[]'" : nil)
    }
    // Values are used as they stand: they are checked, and may be large.
    var attributes = JSONObject()
    for (name, value) in root.members {
      guard let name = name.string(), name != Self.dataMember, name != Self.binaryMember else { continue }
      // Null says that an attribute is not there.
      if value.isNull { continue }
      guard value.kind != .object, value.kind != .array else {
        throw InterchangeError(
          .wrongShape, "the attribute \"\(name)\" is no text, number or Boolean", byteOffset: value.byteRange.lowerBound
        )
      }
      attributes[name] = JSONValue(value)
    }
    object = attributes
    guard try Self.text("specversion", attributes) == OwnEvent.specification else {
      throw InterchangeError(.wrongShape, "\"specversion\" is not \"\(OwnEvent.specification)\"")
    }
    id = try Self.text("id", attributes)
    source = try Self.text("source", attributes)
    type = try Self.text("type", attributes)
    if root[Self.dataMember] != nil, root[Self.binaryMember] != nil {
      throw InterchangeError(.wrongShape, "an event has \"data\" or \"data_base64\", not both")
    }
  }

  /// An attribute that every event has.
  private static func text(_ name: String, _ attributes: JSONObject) throws(InterchangeError) -> String {
    guard case .string(let text)? = attributes[name], !text.isEmpty else {
      throw InterchangeError(.wrongShape, "the event has no \"\(name)\" that is a text")
    }
    return text
  }
}

extension CloudEvent {
  /// The log, the revision and the model that the event was made of; `nil` for an event of somebody else.
  var origin: (log: String, seq: Int, model: String)? {
    guard case .string(let model)? = object[OwnEvent.model], let origin = OwnEvent.origin(source: source, id: id) else {
      return nil
    }
    return (log: origin.log, seq: origin.seq, model: model)
  }

  /// The action that the event was made of.
  func ownAction(seq: Int) throws(InterchangeError) -> ImportedAction {
    guard let data = root[Self.dataMember], data.kind == .object else {
      throw InterchangeError(.wrongShape, "\"data\" is not an object, and the event was made of an action")
    }
    var action = ImportedAction(type: try ActionName.checked(type), data: Array(data.bytes))
    action.seq = seq
    action.time = try time()
    if let schema = object[OwnEvent.schema] {
      guard case .number(let number) = schema, let schema = number.int, schema >= 1 else {
        throw InterchangeError(.wrongShape, "\"\(OwnEvent.schema)\" is not a whole number from 1")
      }
      action.schema = schema
    }
    if let meta = object[OwnEvent.meta] {
      guard case .string(let text) = meta, case .object(let object)? = Self.parsed(text) else {
        throw InterchangeError(.wrongShape, "\"\(OwnEvent.meta)\" is not the text of a JSON object")
      }
      action.meta = object
    }
    return action
  }

  /// The action that stands for somebody else's event.
  func foreignAction() throws(InterchangeError) -> ImportedAction {
    var foreign = ForeignEvent()
    foreign.attributes = object
    for name in ["specversion", "type", "time"] { foreign.attributes[name] = nil }
    var data = Array("{}".utf8)
    if let value = root[Self.dataMember] ?? root[Self.binaryMember] {
      let isObject = value.kind == .object && root[Self.dataMember] != nil
      if !isObject {
        foreign.dataForm = .value(member: root[Self.dataMember] == nil ? Self.binaryMember : Self.dataMember)
      }
      data = isObject ? Array(value.bytes) : Array("{\"\(ForeignEvent.wrapper)\":".utf8) + value.bytes + [0x7D]
    } else {
      foreign.dataForm = .none
    }
    let name = ActionName.storable(type)
    if name != type { foreign.type = type }
    var action = ImportedAction(type: try ActionName.checked(name), data: data)
    action.time = try time()
    if let time = action.time {
      if case .string(let text)? = object["time"], text != time.description { foreign.timeText = .string(text) }
    } else {
      foreign.timeText = .null
    }
    action.meta[ForeignEvent.member] = .object(foreign.object)
    return action
  }

  private func time() throws(InterchangeError) -> LogTime? {
    guard let value = object["time"] else { return nil }
    guard case .string(let text) = value else {
      throw InterchangeError(.wrongShape, "\"time\" is not a text")
    }
    do throws(ZonedTime.Fault) {
      if let time = try ZonedTime.parse(text) { return time }
    } catch {
      guard error == .notOnCalendar else { throw Self.malformedTime }
      throw InterchangeError(.wrongShape, "\"time\" is not on the calendar")
    }
    throw Self.malformedTime
  }

  private static var malformedTime: InterchangeError {
    InterchangeError(.wrongShape, "\"time\" is not a time as RFC 3339 writes it")
  }

  /// - Returns: `nil` for what is not JSON; whoever asks says so.
  private static func parsed(_ text: String) -> JSONValue? {
    do throws(JSONError) { return try JSONValue(parsing: Array(text.utf8)) } catch { return nil }
  }
}

extension InterchangeError {
  /// A text that is not strict JSON.
  init(json error: JSONError) {
    let isLimit = error.code == .tooDeep || error.code == .tooLarge
    self.init(isLimit ? .beyondLimit : .notJSON, error.message, byteOffset: error.byteOffset)
  }
}
