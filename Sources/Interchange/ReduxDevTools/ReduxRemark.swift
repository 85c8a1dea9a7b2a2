import JSONCoding

/// What Redux DevTools said of an action that an action of a log has no place for: the member `redux` of its remarks.
struct ReduxRemark {
  /// The member of `meta`.
  static let member = "redux"

  /// Where the cursor of DevTools stood.
  enum Cursor: String {
    /// At this action: it was the last one applied.
    case here
    /// Before this one, which is the first: none was applied.
    case before
  }

  /// The id, when it is not the place among the actions.
  var id: Int?
  var cursor: Cursor?
  /// The text of the stack of calls.
  var stack: String?
  /// The type, when it cannot be that of an action.
  var type: String?
  /// Whether the values stood beside `type`, and not in `payload`.
  var isFlat = false
  /// Whether `payload` was a value that is no object.
  var isBare = false
  /// The member `error` of a Flux Standard Action.
  var error: JSONValue?
  /// The member `meta`, when it was no object.
  var meta: JSONValue?

  init() {}

  init(_ object: JSONObject) {
    if case .number(let number)? = object["id"] { id = number.int }
    if case .string(let text)? = object["cursor"] { cursor = Cursor(rawValue: text) }
    if case .string(let text)? = object["stack"] { stack = text }
    if case .string(let text)? = object["type"] { type = text }
    isFlat = object["flat"] == .bool(true)
    isBare = object["bare"] == .bool(true)
    error = object["error"]
    meta = object["meta"]
  }

  var object: JSONObject {
    var object = JSONObject()
    object["id"] = id.map { id in .number(JSONNumber(id)) }
    object["cursor"] = cursor.map { cursor in .string(cursor.rawValue) }
    object["stack"] = stack.map(JSONValue.string)
    object["type"] = type.map(JSONValue.string)
    if isFlat { object["flat"] = true }
    if isBare { object["bare"] = true }
    object["error"] = error
    object["meta"] = meta
    return object
  }
}
