import ActionLog
import JSONCoding

/// An action that was switched off in Redux DevTools: in a log a `@rejected` record, which is kept and never folded.
struct SkippedAction {
  private static let errorType = "ReduxDevTools"
  private static let code = "skipped"

  let type: String
  let data: JSONValue

  /// Reads a record; `nil` when it is none of these.
  init?(_ record: LogRecord) throws(JSONError) {
    guard record.type == "@rejected", case .object(let object) = try JSONValue(parsing: record.dataBytes),
      case .object(let error)? = object["error"], error["type"] == .string(Self.errorType),
      error["code"] == .string(Self.code), case .string(let type)? = object["type"], let data = object["data"]
    else { return nil }
    self.type = type
    self.data = data
  }

  /// The values of the record for an action.
  static func recordData(type: String, data: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var object = ObjectWriter(&output)
    object.member("type", type, into: &output)
    object.member("data", json: data, into: &output)
    object.member(
      "error",
      [
        "type": .string(errorType), "code": .string(code),
        "message": "switched off in Redux DevTools when it was imported",
      ], into: &output)
    object.end(&output)
    return output
  }
}
