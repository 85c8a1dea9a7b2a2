public import ActionLog
public import JSONCoding

/// An export of actions and states as a lifted state of Redux DevTools, with times and skipped actions.
///
/// ```swift
/// var export = ReduxDevToolsExport(reader.header)
/// export.begin(into: &bytes)
/// while let record = try records.next() { try export.append(record, into: &bytes) }
/// export.endActions(into: &bytes)
/// for state in states { try export.append(state: state, into: &bytes) }  // the initial state, then one for each action
/// export.end(into: &bytes)
/// ```
///
/// Ids are 0…N without gaps, where 0 is `@@INIT`. The revision of each action is in `meta.seq`. The export keeps one state and the ids
/// of skipped actions in memory.
///
/// - SeeAlso: reduxjs/redux-devtools, packages/redux-devtools-instrument/src/instrument.ts, `LiftedState`.
public struct ReduxDevToolsExport: Sendable {
  static let initialType = "@@INIT"

  private let header: LogHeader
  private var lastID = 0
  private var skipped: [Int] = []
  private var milliseconds: Int64

  /// The last state written, and the id of the next one.
  private var lastState: [UInt8] = []
  private var nextState = 0
  private var nextSkipped = 0

  /// Creates an export.
  public init(_ header: LogHeader) {
    self.header = header
    milliseconds = Self.milliseconds(header.created)
  }

  /// The number of actions written, including skipped ones, without `@@INIT`.
  public var actionCount: Int { lastID }

  /// Writes the beginning of the document and the initial action.
  public mutating func begin(into output: inout [UInt8]) {
    output += #"{"actionsById":{"0":{"type":"PERFORM_ACTION","action":"#.utf8
    let meta: JSONObject = [
      "format": .string(header.format), "log": .string(header.log), "model": .string(header.model),
      "schema": .number(JSONNumber(header.schema)),
    ]
    let action: JSONObject = ["type": .string(Self.initialType), "meta": .object(meta)]
    JSONValue.object(action).append(to: &output)
    output += #","timestamp":\#(milliseconds)}"#.utf8
  }

  /// Writes an action or a skipped action. Other records are ignored.
  public mutating func append(_ record: LogRecord, into output: inout [UInt8]) throws(JSONError) {
    let skippedAction = record.isControl ? try SkippedAction(record) : nil
    guard !record.isControl || skippedAction != nil else { return }
    var action = try ReduxActionWriter(record, skipped: skippedAction, logSchema: header.schema)
    lastID += 1
    if skippedAction != nil { skipped.append(lastID) }
    // The slider of DevTools replays in real time and does not support decreasing timestamps.
    milliseconds = max(milliseconds, Self.milliseconds(record.time))
    output += ",\n\"\(lastID)\":{\"type\":\"PERFORM_ACTION\",\"action\":".utf8
    try action.append(to: &output)
    output += #","timestamp":\#(milliseconds)"#.utf8
    if let stack = action.remark.stack {
      output += #","stack":"#.utf8
      JSONText.appendString(stack, to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  /// Writes the members between the actions and the states. The cursor is at the end.
  public mutating func endActions(into output: inout [UInt8]) {
    output += "},\n\"nextActionId\":\(lastID + 1),\"stagedActionIds\":[".utf8
    for id in 0...lastID { output += (id == 0 ? "0" : ",\(id)").utf8 }
    output += #"],"skippedActionIds":["#.utf8
    output += skipped.map(String.init).joined(separator: ",").utf8
    output += #"],"currentStateIndex":\#(lastID),"monitorState":{},"isLocked":false,"isPaused":false"#.utf8
  }

  /// Writes the next state: first the initial state, then one for each action that was not skipped.
  public mutating func append(state: [UInt8], into output: inout [UInt8]) throws(JSONError) {
    var plain: [UInt8] = []
    try PlainNames.append(state, to: &plain)
    if nextState == 0 {
      output += ",\n\"committedState\":".utf8
      output += plain
      output += ",\n\"computedStates\":[".utf8
    } else {
      repeatStateOfSkipped(into: &output)
    }
    lastState = plain
    appendLastState(into: &output)
  }

  /// Writes only the initial state, if the other states are unknown.
  public mutating func append(base state: [UInt8], into output: inout [UInt8]) throws(JSONError) {
    output += ",\n\"committedState\":".utf8
    try PlainNames.append(state, to: &output)
  }

  /// Writes the end of the document.
  public mutating func end(into output: inout [UInt8]) {
    if nextState == 0 {
      // DevTools requires the member, and recomputes the states.
      output += ",\n\"computedStates\":[".utf8
    } else {
      repeatStateOfSkipped(into: &output)
    }
    output += "]}\n".utf8
  }

  private mutating func repeatStateOfSkipped(into output: inout [UInt8]) {
    while nextSkipped < skipped.count, skipped[nextSkipped] == nextState {
      nextSkipped += 1
      appendLastState(into: &output)
    }
  }

  private mutating func appendLastState(into output: inout [UInt8]) {
    output += (nextState == 0 ? "\n{\"state\":" : ",\n{\"state\":").utf8
    output += lastState
    output.append(UInt8(ascii: "}"))
    nextState += 1
  }

  private static func milliseconds(_ time: LogTime) -> Int64 {
    (time.microseconds - (time.microseconds % 1_000 + 1_000) % 1_000) / 1_000
  }
}

/// An action that was skipped in Redux DevTools. In a log it is a `@rejected` record, which is never folded.
struct SkippedAction {
  private static let errorType = "ReduxDevTools"
  private static let code = "skipped"

  let type: String
  let data: JSONValue

  init?(_ record: LogRecord) throws(JSONError) {
    guard record.controlType == .rejected, let rejected = try RejectedRecord(record),
      rejected.error.type == Self.errorType, rejected.error.code == Self.code
    else { return nil }
    type = rejected.actionType
    data = try JSONValue(parsing: rejected.actionData)
  }

  static func record(type: String, data: [UInt8]) -> RejectedRecord {
    RejectedRecord(
      actionType: type, actionData: data,
      error: RejectedRecord.Failure(
        type: errorType, code: code, message: "switched off in Redux DevTools when it was imported"))
  }
}
