package import JSONCoding

/// The control records of the format.
///
/// A control record describes the log or its state. It is never folded, and a reader skips types that it does not know.
public enum ControlType: String, Sendable, CaseIterable {
  /// The first line of a segment: ``LogHeader``.
  case segment = "@segment"
  /// A writer opened the log.
  case open = "@open"
  /// A writer closed the log.
  case close = "@close"
  /// The next actions were decided together: a reader returns all of them or none.
  case unit = "@unit"
  /// The state at revision 0, if it is not the model's initial state.
  case base = "@base"
  /// The digest of the state at a revision.
  case digest = "@digest"
  /// An action that the reducer refused.
  case rejected = "@rejected"
  /// The findings of a bug report, after its last action.
  case report = "@report"
  /// Values of earlier records were replaced.
  case redact = "@redact"
  /// The beginning of the log was removed, or put back.
  case prune = "@prune"

  /// The first byte of every control record's type: `@`. No action's type begins with it.
  @inline(__always) package static var prefix: UInt8 { UInt8(ascii: "@") }

  /// Whether only the writer itself writes such records. Drafts of these types are refused.
  package var isStructural: Bool {
    switch self {
    case .segment, .open, .unit, .close, .redact, .prune: true
    case .base, .digest, .rejected, .report: false
    }
  }

  /// Whether a log that is made of the actions of another one has such records, too. It may not have all actions of a unit.
  package var isCopied: Bool { !isStructural }
}

/// The contents of a control record.
package protocol ControlRecord {
  static var controlType: ControlType { get }

  /// Returns the `data` of the record: a JSON object, with its members in the order of the format's table.
  func data() -> [UInt8]
}

extension LogDraft {
  /// Creates a draft of a control record.
  package init(_ record: some ControlRecord, meta: [UInt8]? = nil, time: LogTime? = nil) {
    self.init(type: Swift.type(of: record).controlType.rawValue, data: record.data(), meta: meta, time: time)
    unitActions = (record as? UnitRecord)?.actions
  }
}

extension LogRecord {
  /// The type of the control record; `nil` for an action and for a type that this version does not know.
  public var controlType: ControlType? { isControl ? ControlType(rawValue: type) : nil }
}

// MARK: - Units

/// The `@unit` record: the next actions are one decision. A reader returns all of them or none.
///
/// Without it, a crash or a power cut can leave the first lines of a batch: each is complete by itself. A unit whose actions are not all
/// there ends the log before its `@unit` line, as a torn line would.
package struct UnitRecord: ControlRecord, Equatable {
  package static var controlType: ControlType { .unit }

  /// The most actions of a unit. A reader looks for the end of a unit before it returns its beginning.
  package static var limit: Int { 1_000 }
  /// The most bytes of a unit's values: half of what a crash can tear, so that recovery can remove an unfinished unit.
  static var limitBytes: Int { LogFormat.tornLimitBytes / 2 }

  /// The number of actions that follow, at least 2. No other record is between them.
  package var actions: Int

  package init(actions: Int) { self.actions = actions }

  package func data() -> [UInt8] { Array(#"{"actions":\#(actions)}"#.utf8) }

  /// Reads the record; `nil` if the line is another one.
  package init?(_ parsed: ParsedLine, _ line: ArraySlice<UInt8>) throws(LineFault) {
    guard parsed.controlType(in: line) == .unit else { return nil }
    let node = try parsed.dataNode(in: line, keeping: ["actions"])
    do throws(RecordMemberError) { actions = try node.number("actions", from: 2) } catch {
      throw .invalidMember("data.\(error.name)")
    }
    guard actions <= Self.limit else { throw .invalidMember("data.actions") }
  }
}

extension LogRecord {
  /// The unit that begins with the line; `nil` if it is another line.
  var unit: UnitRecord? {
    guard controlType == .unit else { return nil }
    do throws(LineFault) { return try UnitRecord(LineParser.parse(rawLine[...]), rawLine[...]) } catch { return nil }
  }
}

// MARK: - Records of the writer

/// The `@open` record: the writer that opened the log, and the bytes that recovery removed before.
struct OpenRecord: ControlRecord, Equatable {
  static var controlType: ControlType { .open }

  var epoch: Int
  var schema: Int
  var program: String
  var processID: Int
  var host: String
  /// The bytes that recovery removed from the log, and the file in the quarantine that has them.
  var recovered: LogOpening.Recovered?
  /// Whether the following lines of the segment have salts, although its first line does not announce them.
  var isSalted = false

  func data() -> [UInt8] {
    var object: JSONObject = [
      "epoch": .number(JSONNumber(epoch)), "schema": .number(JSONNumber(schema)), "program": .string(program),
      "pid": .number(JSONNumber(processID)), "host": .string(host),
    ]
    object["recovered"] = recovered.map { recovered in
      ["bytes": .number(JSONNumber(recovered.bytes)), "file": .string(recovered.file)]
    }
    if isSalted { object["salted"] = true }
    return JSONValue.object(object).bytes()
  }

  /// The members that readers need.
  static let neededNames: [StaticString] = ["epoch", "schema", "salted"]

  /// Reads the writer's number, the schema of the following actions, and whether salts begin.
  static func needed(
    of data: JSONTape.Node
  ) throws(RecordMemberError) -> (epoch: Int, schema: Int, isSalted: Bool) {
    (try data.number("epoch", from: 1), try data.number("schema", from: 1), try data.flag("salted"))
  }
}

struct CloseRecord: ControlRecord {
  static var controlType: ControlType { .close }

  var epoch: Int

  func data() -> [UInt8] { Array(#"{"epoch":\#(epoch)}"#.utf8) }
}

// MARK: - Records about the state

/// The `@base` record: the state at revision 0, if it is not the model's initial state.
package struct BaseRecord: ControlRecord {
  private struct Contents<State: Codable>: Codable {
    var state: State
  }

  package static var controlType: ControlType { .base }

  private let bytes: [UInt8]

  /// Creates the record of a state in JSON.
  package init(json state: [UInt8]) {
    bytes = Array(#"{"state":"#.utf8) + state + [UInt8(ascii: "}")]
  }

  package init(_ state: some Codable) throws {
    bytes = try StrictJSONEncoder().encode(Contents(state: state))
  }

  package init(_ record: LogRecord) {
    bytes = record.data
  }

  package func data() -> [UInt8] { bytes }

  /// Returns the state in JSON; `nil` if the record has none.
  package func json() throws(JSONError) -> [UInt8]? {
    guard let state = try JSONTape(parsing: bytes).root["state"] else { return nil }
    return Array(state.bytes)
  }

  package func state<State: Codable>(as type: State.Type) throws -> State {
    try StrictJSONDecoder().decode(Contents<State>.self, from: bytes).state
  }
}

/// The `@digest` record: the digest of the state at the record's revision.
package struct DigestRecord: ControlRecord, Sendable {
  package static var controlType: ControlType { .digest }

  /// The digest of the state: 64 hexadecimal digits; empty if it was withdrawn.
  package var state: String
  /// Whether a redaction removed the digest, because it is that of a state with a removed value. The record then says nothing.
  package private(set) var isWithdrawn = false
  /// The fingerprint of the reducer that computed the state.
  package var reducer: String

  package init(state: String, reducer: String) {
    self.state = state
    self.reducer = reducer
  }

  /// Reads a `@digest` record of a log.
  ///
  /// A member that is missing or not a string becomes an empty string, which matches no digest.
  package init(_ record: LogRecord) throws(JSONError) {
    let root = try JSONTape(parsing: record.dataBytes, keeping: ["state", "reducer"]).root
    state = root["state"]?.string() ?? ""
    isWithdrawn = root["state"]?.isNull ?? false
    reducer = root["reducer"]?.string() ?? ""
  }

  package func data() -> [UInt8] {
    JSONValue.object(["state": .string(state), "reducer": .string(reducer)]).bytes()
  }
}

/// The `@rejected` record: an action that the reducer refused, and its error.
package struct RejectedRecord: ControlRecord {
  package struct Failure {
    package var type: String
    package var code: String
    package var message: String
    /// A JSON Pointer into the state.
    package var place: String?

    package init(type: String, code: String, message: String, place: String? = nil) {
      self.type = type
      self.code = code
      self.message = message
      self.place = place
    }
  }

  package static var controlType: ControlType { .rejected }

  package var actionType: String
  package var actionData: [UInt8]
  package var error: Failure
  /// The number of refused actions before this one that were not recorded.
  package var suppressedCount: Int

  package init(actionType: String, actionData: [UInt8], error: Failure, suppressedCount: Int = 0) {
    self.actionType = actionType
    self.actionData = actionData
    self.error = error
    self.suppressedCount = suppressedCount
  }

  /// Reads a `@rejected` record of a log.
  ///
  /// - Returns: `nil` if the record lacks the action, or the type or code of the error.
  package init?(_ record: LogRecord) throws(JSONError) {
    let root = try JSONTape(parsing: record.dataBytes).root
    guard let type = root["type"]?.string(), let data = root["data"], let error = root["error"],
      let errorType = error["type"]?.string(), let code = error["code"]?.string()
    else { return nil }
    actionType = type
    actionData = Array(data.bytes)
    self.error = Failure(
      type: errorType, code: code, message: error["message"]?.string() ?? "", place: error["place"]?.string())
    suppressedCount = root["suppressed"]?.plainInteger ?? 0
  }

  package func data() -> [UInt8] {
    var failure: JSONObject = [
      "type": .string(error.type), "code": .string(error.code), "message": .string(error.message),
    ]
    failure["place"] = error.place.map(JSONValue.string)
    // The data is written as it is, so the object around it is, too.
    var data: [UInt8] = Array(#"{"type":"#.utf8)
    JSONText.appendString(actionType, to: &data)
    data += #","data":"#.utf8
    data += actionData
    data += #","error":"#.utf8
    JSONValue.object(failure).append(to: &data)
    if suppressedCount > 0 { data += #","suppressed":\#(suppressedCount)"#.utf8 }
    data += "}".utf8
    return data
  }
}
