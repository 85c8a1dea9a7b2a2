import ActionLog
import JSONCoding

/// What an event of somebody else says beyond an action's type, time and values. It is kept as the member `cloudevent`
/// of the action's remarks, so that the same event can be written again.
struct ForeignEvent {
  /// The member of `meta`.
  static let member = "cloudevent"
  /// The name under which a value that is no object stands in the action's values, as an unlabelled one of Swift does.
  static let wrapper = "_0"

  /// How the event carries its values.
  enum DataForm: Equatable {
    /// As the member `data`, an object.
    case object
    /// As a member of this name, any other value.
    case value(member: String)
    case none
  }

  /// The attributes that have no place elsewhere, `id` and `source` among them.
  var attributes = JSONObject()
  /// The type, when it cannot be that of an action.
  var type: String?
  /// The time as it was written, `null` when there was none; absent when the record says the same.
  var timeText: JSONValue?
  var dataForm = DataForm.object

  init() {}

  /// Reads the member of an action's remarks.
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

  /// The member of an action's remarks.
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

  /// The time to write; `nil` when the event had none.
  func time(of record: LogRecord) -> String? {
    switch timeText {
    case nil: record.time.description
    case .string(let text)?: text
    default: nil
    }
  }
}
