public import ActionLog
public import JSONCoding

/// The actions as CloudEvents, one JSON object a line.
///
/// An event's `id` is the log's identifier and the revision, its `source` the log. Beyond what the specification names
/// it has the extension attributes `sequence` (the revision, sortable as text), `actionlogmodel`, `actionlogschema`,
/// and, where the action has remarks, `actionlogmeta`, their JSON text. An action that was imported from somebody
/// else's event becomes that event again.
///
/// - SeeAlso: CloudEvents 1.0.2, "JSON Event Format"; its extension "Sequence".
public struct CloudEventsExport: RecordExport {
  private let header: LogHeader

  /// Begins a list of events.
  ///
  /// - Parameter header: What the log says of itself.
  public init(_ header: LogHeader) {
    self.header = header
  }

  /// Writes an event and a line feed.
  public mutating func append(_ record: LogRecord, into output: inout [UInt8]) throws(JSONError) {
    guard !record.isControl else { return }
    if let foreign = try foreignEvent(of: record) {
      output += foreign
    } else {
      appendOwn(record, into: &output)
    }
    output.append(UInt8(ascii: "\n"))
  }

  /// The event of somebody else that an action was imported from; `nil` when it was not, or when what is said of that
  /// event would not make this action.
  private func foreignEvent(of record: LogRecord) throws(JSONError) -> [UInt8]? {
    guard case .object(let object)? = try record.metaObject()?[ForeignEvent.member] else { return nil }
    var bytes: [UInt8] = []
    try append(ForeignEvent(object), of: record, into: &bytes)
    let action: ImportedAction
    do throws(InterchangeError) {
      let event = try CloudEvent(bytes[...])
      guard event.origin == nil else { return nil }
      action = try event.foreignAction()
    } catch {
      return nil
    }
    guard action.type == record.type, action.time == record.time || action.time == nil else { return nil }
    return try JSONValue(parsing: action.data) == JSONValue(parsing: record.dataBytes) ? bytes : nil
  }

  private func appendOwn(_ record: LogRecord, into output: inout [UInt8]) {
    var event = ObjectWriter(&output)
    event.member("specversion", OwnEvent.specification, into: &output)
    event.member("id", OwnEvent.id(log: header.log, seq: record.seq), into: &output)
    event.member("source", OwnEvent.source(log: header.log), into: &output)
    event.member("type", record.type, into: &output)
    event.member("time", record.time.description, into: &output)
    event.member("datacontenttype", OwnEvent.contentType, into: &output)
    event.member("sequence", OwnEvent.sequence(record.seq), into: &output)
    event.member(OwnEvent.model, header.model, into: &output)
    event.member(OwnEvent.schema, record.schema, into: &output)
    if let meta = record.meta { event.member(OwnEvent.meta, String(decoding: meta, as: UTF8.self), into: &output) }
    event.member("data", json: record.dataBytes, into: &output)
    event.end(&output)
  }

  private func append(_ foreign: ForeignEvent, of record: LogRecord, into output: inout [UInt8]) throws(JSONError) {
    var event = ObjectWriter(&output)
    event.member("specversion", OwnEvent.specification, into: &output)
    for (name, value) in foreign.attributes { event.member(name, value, into: &output) }
    event.member("type", foreign.type ?? record.type, into: &output)
    if let time = foreign.time(of: record) { event.member("time", time, into: &output) }
    switch foreign.dataForm {
    case .object: event.member("data", json: record.dataBytes, into: &output)
    case .value(let name):
      let value = try JSONTape(parsing: record.dataBytes).root[ForeignEvent.wrapper]
      event.member(name, json: value?.bytes ?? record.dataBytes, into: &output)
    case .none: break
    }
    event.end(&output)
  }
}
