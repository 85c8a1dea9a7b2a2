import ActionLog
import JSONCoding

/// A parsed event with validated attributes. Its data is not copied.
struct CloudEvent {
  private let root: JSONTape.Node
  let id: String
  let source: String
  let type: String
  /// The member with the data and its value; `nil` if there is none.
  private let payload: (member: String, value: JSONTape.Node)?

  private static let dataMember = "data"
  private static let binaryMember = "data_base64"

  init(_ bytes: ArraySlice<UInt8>) throws(InterchangeError) {
    let root: JSONTape.Node
    do throws(JSONError) { root = try JSONTape(parsing: bytes).root } catch {
      throw InterchangeError(json: error)
    }
    guard root.kind == .object else {
      throw InterchangeError(
        .wrongShape, "an event is an object",
        advice: root.kind == .array ? "A batch becomes lines with: jq -c '.[]'" : nil)
    }
    for (name, value) in root.members where value.kind == .object || value.kind == .array {
      guard let name = name.string(), name != Self.dataMember, name != Self.binaryMember else { continue }
      throw InterchangeError(
        .wrongShape, "the attribute \"\(name)\" is not a string, number or Boolean",
        byteOffset: value.byteRange.lowerBound
      )
    }
    self.root = root
    guard try Self.text("specversion", root) == OwnEvent.specification else {
      throw InterchangeError(.wrongShape, "\"specversion\" is not \"\(OwnEvent.specification)\"")
    }
    id = try Self.text("id", root)
    source = try Self.text("source", root)
    type = try Self.text("type", root)
    // Null is a value of "data", unless there is binary data.
    let data = root[Self.dataMember]
    if let binary = root[Self.binaryMember], !binary.isNull {
      guard data?.isNull != false else {
        throw InterchangeError(.wrongShape, "an event has \"data\" or \"data_base64\", not both")
      }
      payload = (member: Self.binaryMember, value: binary)
    } else {
      payload = data.map { value in (member: Self.dataMember, value: value) }
    }
  }

  private static func text(_ name: String, _ root: JSONTape.Node) throws(InterchangeError) -> String {
    guard let text = root[name]?.string(), !text.isEmpty else {
      throw InterchangeError(.wrongShape, "the event has no string \"\(name)\"")
    }
    return text
  }

  /// The value of an attribute. Null means that it is absent.
  private subscript(name: String) -> JSONTape.Node? { root[name].flatMap { value in value.isNull ? nil : value } }

  /// All attributes.
  private var attributes: JSONObject {
    var attributes = JSONObject()
    for (name, value) in root.members where !value.isNull {
      // The data is validated already, and may be large.
      guard let name = name.string(), name != Self.dataMember, name != Self.binaryMember else { continue }
      attributes[name] = JSONValue(value)
    }
    return attributes
  }
}

extension CloudEvent {
  /// The log, the revision and the model that the event was exported from, or `nil` for a foreign event.
  var origin: (log: String, revision: Int, model: String)? {
    guard let model = self[OwnEvent.model]?.string(), let origin = OwnEvent.origin(source: source, id: id) else {
      return nil
    }
    return (log: origin.log, revision: origin.revision, model: model)
  }

  func ownAction(revision: Int) throws(InterchangeError) -> ImportedAction {
    guard let payload, payload.member == Self.dataMember, payload.value.kind == .object else {
      throw InterchangeError(.wrongShape, "\"data\" is not an object, but the event was exported from a log")
    }
    var action = ImportedAction(type: try ActionName.checked(type), data: Array(payload.value.bytes))
    action.revision = revision
    action.time = try time()
    if let schema = self[OwnEvent.schema] {
      guard let schema = schema.number()?.int, schema >= 1 else {
        throw InterchangeError(.wrongShape, "\"\(OwnEvent.schema)\" is not a positive integer")
      }
      action.schema = schema
    }
    if let meta = self[OwnEvent.meta] {
      guard let text = meta.string(), case .object(let object)? = Self.parsed(text) else {
        throw InterchangeError(.wrongShape, "\"\(OwnEvent.meta)\" is not the text of a JSON object")
      }
      action.meta = object
    }
    return action
  }

  func foreignAction() throws(InterchangeError) -> ImportedAction {
    var foreign = ForeignEvent()
    foreign.attributes = attributes
    for name in ["specversion", "type", "time"] { foreign.attributes[name] = nil }
    var data = Array("{}".utf8)
    if let (member, value) = payload {
      let isObject = value.kind == .object && member == Self.dataMember
      if !isObject { foreign.dataForm = .value(member: member) }
      data = isObject ? Array(value.bytes) : Array("{\"\(ForeignEvent.wrapper)\":".utf8) + value.bytes + [0x7D]
    } else {
      foreign.dataForm = .none
    }
    let name = ActionName.storable(type)
    if name != type { foreign.type = type }
    var action = ImportedAction(type: try ActionName.checked(name), data: data)
    action.time = try time()
    if let time = action.time {
      if let text = self["time"]?.string(), text != time.description { foreign.timeText = .string(text) }
    } else {
      foreign.timeText = .null
    }
    action.meta[ForeignEvent.member] = .object(foreign.object)
    return action
  }

  private func time() throws(InterchangeError) -> LogTime? {
    guard let value = self["time"] else { return nil }
    guard let text = value.string() else {
      throw InterchangeError(.wrongShape, "\"time\" is not a string")
    }
    do throws(ZonedTime.Fault) {
      if let time = try ZonedTime.parse(text) { return time }
    } catch {
      guard error == .notOnCalendar else { throw Self.malformedTime }
      throw InterchangeError(.wrongShape, "\"time\" is not a valid date")
    }
    throw Self.malformedTime
  }

  private static var malformedTime: InterchangeError {
    InterchangeError(.wrongShape, "\"time\" is not an RFC 3339 timestamp")
  }

  /// Parses a JSON text, or returns `nil` if it is invalid, which the caller reports.
  private static func parsed(_ text: String) -> JSONValue? {
    do throws(JSONError) { return try JSONValue(parsing: Array(text.utf8)) } catch { return nil }
  }
}

extension InterchangeError {
  /// Creates an error for a text that is not strict JSON.
  init(json error: JSONError) {
    let isLimit = error.code == .tooDeep || error.code == .tooLarge
    self.init(isLimit ? .beyondLimit : .notJSON, error.message, byteOffset: error.byteOffset)
  }
}

/// The attributes of a foreign event that an action cannot represent. They are stored in the member `cloudevent` of the action's
/// metadata, so that the same event can be exported.
struct ForeignEvent {
  static let member = "cloudevent"
  /// The member of the action's data for data that is not an object, as for an unlabeled value in Swift.
  static let wrapper = "_0"

  enum DataForm: Equatable {
    /// An object in the member `data`.
    case object
    /// Any other value, in a member of this name.
    case value(member: String)
    case none
  }

  /// The attributes that are not stored elsewhere, including `id` and `source`.
  var attributes = JSONObject()
  /// The type, if it is not a valid action type.
  var type: String?
  /// The original text of the time, or `null` if there was none; absent if it equals the record's time.
  var timeText: JSONValue?
  var dataForm = DataForm.object

  init() {}

  init(_ object: JSONObject) {
    if case .object(let attributes)? = object["attributes"] { self.attributes = attributes }
    if case .string(let type)? = object["type"] { self.type = type }
    timeText = object["time"]
    switch object["data"] {
    case .string(let name)?: dataForm = .value(member: name)
    case .null?: dataForm = .none
    default: dataForm = .object
    }
  }

  var object: JSONObject {
    var object: JSONObject = ["attributes": .object(attributes)]
    object["type"] = type.map(JSONValue.string)
    object["time"] = timeText
    switch dataForm {
    case .object: break
    case .value(let name): object["data"] = .string(name)
    case .none: object["data"] = .null
    }
    return object
  }

  /// The time to export; `nil` if the event had none.
  func time(of record: LogRecord) -> String? {
    switch timeText {
    case nil: record.time.description
    case .string(let text)?: text
    default: nil
    }
  }
}
