public import ActionLog
public import JSONCoding

/// The actions and states of a log as Redux DevTools' lifted state: the file that keeps times, skipped actions and the
/// cursor.
///
/// ```swift
/// var export = ReduxDevToolsExport(reader.header) export.begin(into: &bytes) while let record = try records.next() {
/// try export.append(record, into: &bytes) } export.endActions(into: &bytes) for state in states { try
/// export.append(state: state, into: &bytes) }   // the one before the first action, then one for each export.end(into:
/// &bytes)
/// ```
///
/// Ids are 0…N without gaps, 0 being `@@INIT`; the revision is in `meta.seq` of each action. Memory is that of one
/// state and of the ids of the skipped actions.
///
/// - SeeAlso: reduxjs/redux-devtools, packages/redux-devtools-instrument/src/instrument.ts, `LiftedState`.
public struct ReduxDevToolsExport: Sendable {
  /// The mark by which the first action says that a log was exported.
  static let initialType = "@@INIT"

  private let header: LogHeader
  private var lastID = 0
  private var skipped: [Int] = []
  /// The first revision that was exported, and the id that the cursor stood at, as the actions say.
  private var firstSeq: Int?
  private var recordedCursor: Int?
  private var milliseconds: Int64

  /// The state that was written last, and the id that the next one belongs to.
  private var lastState: [UInt8] = []
  private var nextState = 0
  private var nextSkipped = 0

  /// Begins a lifted state.
  ///
  /// - Parameter header: What the log says of itself.
  public init(_ header: LogHeader) {
    self.header = header
    milliseconds = Self.milliseconds(header.created)
  }

  /// How many actions were written, skipped ones included and `@@INIT` not.
  public var actionCount: Int { lastID }

  /// Writes the beginning, and the action before all others.
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

  /// Writes an action; records that are neither an action nor one that DevTools had skipped are passed over.
  ///
  /// - Parameters:
  ///   - record: The next record of the log.
  ///   - output: Takes the bytes.
  /// - Throws: `JSONError`, for a record that was not read from a log.
  /// - Complexity: O(length of the record).
  public mutating func append(_ record: LogRecord, into output: inout [UInt8]) throws(JSONError) {
    let skippedAction = record.isControl ? try SkippedAction(record) : nil
    guard !record.isControl || skippedAction != nil else { return }
    var action = try ReduxActionWriter(record, skipped: skippedAction, logSchema: header.schema)
    lastID += 1
    if skippedAction != nil { skipped.append(lastID) } else { firstSeq = firstSeq ?? record.seq }
    switch action.remark.cursor {
    case .here: recordedCursor = lastID
    case .before: recordedCursor = 0
    case nil: break
    }
    // The slider of DevTools replays the gaps, and has none that are negative.
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

  /// Writes what stands between the actions and the states.
  ///
  /// - Parameters:
  ///   - cursor: The revision that the cursor stands at; `nil` is where it stood when the log was imported, else the end.
  ///   - output: Takes the bytes.
  public mutating func endActions(cursor: Int? = nil, into output: inout [UInt8]) {
    output += "},\n\"nextActionId\":\(lastID + 1),\"stagedActionIds\":[".utf8
    for id in 0...lastID { output += (id == 0 ? "0" : ",\(id)").utf8 }
    output += #"],"skippedActionIds":["#.utf8
    output += skipped.map(String.init).joined(separator: ",").utf8
    let index = cursor.map(id) ?? recordedCursor ?? lastID
    output += #"],"currentStateIndex":\#(index),"monitorState":{},"isLocked":false,"isPaused":false"#.utf8
  }

  /// Writes the next state: first the one before all actions, then one for each action that was not skipped.
  ///
  /// - Parameters:
  ///   - state: The state as JSON.
  ///   - output: Takes the bytes.
  /// - Throws: `JSONError`, for what is not JSON.
  /// - Complexity: O(length of the state).
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

  /// Writes the state that the log begins with, when nothing can be said of those behind it.
  ///
  /// - Parameters:
  ///   - state: The state as JSON.
  ///   - output: Takes the bytes.
  /// - Throws: `JSONError`, for what is not JSON.
  public mutating func append(base state: [UInt8], into output: inout [UInt8]) throws(JSONError) {
    output += ",\n\"committedState\":".utf8
    try PlainNames.append(state, to: &output)
  }

  /// Writes the end.
  public mutating func end(into output: inout [UInt8]) {
    if nextState == 0 {
      // DevTools want the member, and compute the states anew.
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

  /// The id of the action that leads to a revision.
  private func id(of revision: Int) -> Int {
    guard let firstSeq, revision >= firstSeq else { return 0 }
    // Each action before it that was skipped has an id too.
    var id = revision - firstSeq + 1
    for skippedID in skipped where skippedID <= id { id += 1 }
    return min(id, lastID)
  }

  /// A clock can stand before 1970, and still be rounded down.
  private static func milliseconds(_ time: LogTime) -> Int64 {
    (time.microseconds - (time.microseconds % 1_000 + 1_000) % 1_000) / 1_000
  }
}
