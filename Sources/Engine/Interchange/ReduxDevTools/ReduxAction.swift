import ActionLog
import JSONCoding

/// A writer of an action in Redux form: a Flux Standard Action, or its original form if it was imported.
struct ReduxActionWriter {
  /// The members of `meta` that the export sets. If the action's own metadata contains one of these names, all of it is stored in
  /// `record`.
  static let own = ["seq", "time", "schema", "record"]

  let record: LogRecord
  let skipped: SkippedAction?
  private(set) var remark = ReduxRemark()
  /// The schema of the log's header, which is written only once.
  let logSchema: Int
  private var others: JSONObject

  init(_ record: LogRecord, skipped: SkippedAction?, logSchema: Int) throws(JSONError) {
    self.record = record
    self.skipped = skipped
    self.logSchema = logSchema
    others = try record.metaObject() ?? JSONObject()
    if case .object(let object)? = others[ReduxRemark.member] { remark = ReduxRemark(object) }
  }

  /// Writes the action in its original form if it was imported, unless that form would not be imported as this action.
  mutating func append(to output: inout [UInt8]) throws(JSONError) {
    let data = skipped.map { skipped in skipped.data.bytes()[...] } ?? record.dataBytes
    guard case .object? = others[ReduxRemark.member] else { return try append(data, to: &output) }
    let (remarks, all) = (remark, others)
    others[ReduxRemark.member] = nil
    var bytes: [UInt8] = []
    try append(data, to: &bytes)
    if try !isAction(bytes, data) {
      remark = ReduxRemark()
      remark.stack = remarks.stack
      others = all
      bytes = []
      try append(data, to: &bytes)
    }
    output += bytes
  }

  private func isAction(_ bytes: [UInt8], _ data: ArraySlice<UInt8>) throws(JSONError) -> Bool {
    let node = try JSONTape(parsing: bytes, maximumDepth: JSONTape.depthLimit).root
    let action: ImportedAction
    do throws(InterchangeError) {
      action = try ReduxActionReader.read(node, at: JSONPointer([])).action
    } catch {
      return false
    }
    guard action.type == (skipped?.type ?? record.type) else { return false }
    return try JSONValue(parsing: action.data) == JSONValue(parsing: data)
  }

  private func append(_ data: ArraySlice<UInt8>, to output: inout [UInt8]) throws(JSONError) {
    var action = ObjectWriter(&output)
    action.member("type", remark.type ?? skipped?.type ?? record.type, into: &output)
    if remark.isFlat, case .object(let members) = try JSONValue(parsing: data), members["type"] == nil {
      for (name, value) in members {
        action.name(PlainNames.escaped(name), into: &output)
        try PlainNames.append(value.bytes(), to: &output)
      }
      if members["meta"] == nil { try appendMeta(&action, to: &output) }
    } else {
      if data != ArraySlice("{}".utf8) {
        action.name("payload", into: &output)
        try PlainNames.append(try payload(data), to: &output)
      }
      if let error = remark.error {
        action.name("error", into: &output)
        try PlainNames.append(error.bytes(), to: &output)
      }
      try appendMeta(&action, to: &output)
    }
    action.end(&output)
  }

  private func payload(_ data: ArraySlice<UInt8>) throws(JSONError) -> ArraySlice<UInt8> {
    guard remark.isBare else { return data }
    return try JSONTape(parsing: data).root[ForeignEvent.wrapper]?.bytes ?? data
  }

  private func appendMeta(_ action: inout ObjectWriter, to output: inout [UInt8]) throws(JSONError) {
    action.name("meta", into: &output)
    if let meta = remark.meta { return try PlainNames.append(meta.bytes(), to: &output) }
    var meta = ObjectWriter(&output)
    meta.member("seq", record.revision, into: &output)
    meta.member("time", record.time.description, into: &output)
    if record.schema != logSchema { meta.member("schema", record.schema, into: &output) }
    if others.contains(where: { name, _ in Self.own.contains(name) }) {
      meta.name("record", into: &output)
      try PlainNames.append(JSONValue.object(others).bytes(), to: &output)
    } else {
      for (name, value) in others {
        meta.name(PlainNames.escaped(name), into: &output)
        try PlainNames.append(value.bytes(), to: &output)
      }
    }
    meta.end(&output)
  }
}

/// A reader of actions in Redux form.
struct ReduxActionReader {
  private static let standard: Set<String> = ["type", "payload", "error", "meta"]

  /// Reads an action.
  static func read(
    _ node: JSONTape.Node, at pointer: JSONPointer
  ) throws(InterchangeError) -> (action: ImportedAction, remark: ReduxRemark) {
    guard case .object(let object) = try PlainNames.plain(JSONValue(node), at: pointer) else {
      throw InterchangeError(.wrongShape, "the action is not an object with a \"type\"", pointer: pointer)
    }
    guard case .string(let type)? = object["type"] else {
      throw InterchangeError(
        .wrongShape, "the action has no string \"type\"", pointer: pointer,
        advice: "Redux DevTools does not accept it, either.")
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
      // The export writes it again.
      if case .object(let own)? = object["meta"], Self.isOurs(own) {
        meta = own
        data["meta"] = nil
      }
    }
    do throws(InterchangeError) {
      var action = ImportedAction(type: try ActionName.checked(name), data: JSONValue.object(data).bytes())
      takeMeta(meta, into: &action)
      action.pointer = pointer
      return (action: action, remark: remark)
    } catch {
      var placed = error
      placed.pointer = pointer
      throw placed
    }
  }

  /// Whether metadata was written by an export: it has a valid revision and a time.
  private static func isOurs(_ meta: JSONObject) -> Bool {
    guard case .number(let number)? = meta["seq"], let revision = number.int,
      (1...LogFormat.revisionLimit).contains(revision),
      case .string(let time)? = meta["time"]
    else { return false }
    return LogTime(parsing: time) != nil
  }

  private static func takeMeta(_ meta: JSONObject, into action: inout ImportedAction) {
    guard isOurs(meta), case .number(let revision)? = meta["seq"], case .string(let time)? = meta["time"] else {
      action.meta = meta
      return
    }
    action.revision = revision.int
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

/// The properties of a Redux DevTools action that a record cannot represent, stored in the member `redux` of its metadata.
struct ReduxRemark {
  static let member = "redux"

  /// The call stack, as text.
  var stack: String?
  /// The type, if it is not a valid action type.
  var type: String?
  /// Whether the data was next to `type` rather than in `payload`.
  var isFlat = false
  /// Whether `payload` was not an object.
  var isBare = false
  /// The member `error` of a Flux Standard Action.
  var error: JSONValue?
  /// The member `meta`, if it was not an object.
  var meta: JSONValue?

  init() {}

  init(_ object: JSONObject) {
    if case .string(let text)? = object["stack"] { stack = text }
    if case .string(let text)? = object["type"] { type = text }
    isFlat = object["flat"] == .bool(true)
    isBare = object["bare"] == .bool(true)
    error = object["error"]
    meta = object["meta"]
  }

  var object: JSONObject {
    var object = JSONObject()
    object["stack"] = stack.map(JSONValue.string)
    object["type"] = type.map(JSONValue.string)
    if isFlat { object["flat"] = true }
    if isBare { object["bare"] = true }
    object["error"] = error
    object["meta"] = meta
    return object
  }
}
