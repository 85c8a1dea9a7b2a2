import ActionLog
import JSONCoding

/// One action as Redux has it: a Flux Standard Action, or what it was when it came from there.
struct ReduxActionWriter {
  /// Members of `meta` that are ours. Where the action's own remarks have one of these names, all of them go into the
  /// last one.
  static let own = ["seq", "time", "schema", "record"]

  let record: LogRecord
  let skipped: SkippedAction?
  private(set) var remark = ReduxRemark()
  /// The schema of the log's first line, which is told once.
  let logSchema: Int
  private var others: JSONObject

  init(_ record: LogRecord, skipped: SkippedAction?, logSchema: Int) throws(JSONError) {
    self.record = record
    self.skipped = skipped
    self.logSchema = logSchema
    others = try record.metaObject() ?? JSONObject()
    if case .object(let object)? = others[ReduxRemark.member] { remark = ReduxRemark(object) }
  }

  /// Writes the action: as it was in the file that it was imported from, unless what is said of that would not make
  /// this action.
  mutating func append(to output: inout [UInt8]) throws(JSONError) {
    let data = skipped.map { skipped in skipped.data.bytes()[...] } ?? record.dataBytes
    guard case .object? = others[ReduxRemark.member] else { return try append(data, to: &output) }
    let (remarks, all) = (remark, others)
    others[ReduxRemark.member] = nil
    var bytes: [UInt8] = []
    try append(data, to: &bytes)
    if try !isAction(bytes, data) {
      remark = ReduxRemark()
      remark.id = remarks.id
      remark.stack = remarks.stack
      remark.cursor = remarks.cursor
      others = all
      bytes = []
      try append(data, to: &bytes)
    }
    output += bytes
  }

  /// Whether an action of Redux is read as this action.
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
    meta.member("seq", record.seq, into: &output)
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
