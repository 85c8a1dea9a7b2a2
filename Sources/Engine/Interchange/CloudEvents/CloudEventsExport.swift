public import ActionLog
public import JSONCoding

/// An export of actions as CloudEvents, one JSON object per line.
///
/// An event's `id` consists of the log's identifier and the revision; its `source` is the log. In addition to the standard attributes, an
/// event has the extension attributes `sequence` (the revision, sortable as text), `actionlogmodel`, `actionlogschema` and, if the
/// action has metadata, `actionlogmeta` (its JSON text). An action that was imported from a foreign event is exported as that
/// event.
///
/// - SeeAlso: CloudEvents 1.0.2, "JSON Event Format"; its extension "Sequence".
public struct CloudEventsExport: RecordExport {
  private let header: LogHeader

  /// Creates an export.
  ///
  /// - Parameter header: The header of the log.
  public init(_ header: LogHeader) {
    self.header = header
  }

  /// Writes an event and a line feed.
  ///
  /// - Throws: As ``RecordExport/append(_:into:)``.
  public mutating func append(_ record: LogRecord, into output: inout [UInt8]) throws(JSONError) {
    guard !record.isControl else { return }
    if let foreign = try foreignEvent(of: record) {
      output += foreign
    } else {
      appendOwn(record, into: &output)
    }
    output.append(UInt8(ascii: "\n"))
  }

  /// The foreign event that an action was imported from, or `nil` if there is none or if it would not be imported as this
  /// action.
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
    event.member("id", OwnEvent.id(log: header.log, revision: record.revision), into: &output)
    event.member("source", OwnEvent.source(log: header.log), into: &output)
    event.member("type", record.type, into: &output)
    event.member("time", record.time.description, into: &output)
    event.member("datacontenttype", OwnEvent.contentType, into: &output)
    event.member("sequence", OwnEvent.sequence(record.revision), into: &output)
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

/// The attributes of an event exported from a log.
enum OwnEvent {
  /// The version of the specification.
  static let specification = "1.0"
  static let contentType = "application/json"
  // Names of extension attributes consist of at most 20 lower-case letters and digits.
  static let model = "actionlogmodel"
  static let schema = "actionlogschema"
  static let meta = "actionlogmeta"

  private static let sourcePrefix = "urn:uuid:"

  static func source(log: String) -> String { sourcePrefix + log }
  static func id(log: String, revision: Int) -> String { "\(log)/\(revision)" }

  /// The revision, padded to the digits of the largest one, so that texts sort like numbers.
  static func sequence(_ revision: Int) -> String {
    let digits = String(revision)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }

  /// The log and the revision of an event, or `nil` if it was not exported from a log.
  static func origin(source: String, id: String) -> (log: String, revision: Int)? {
    guard source.hasPrefix(sourcePrefix) else { return nil }
    let log = String(source.dropFirst(sourcePrefix.count))
    guard id.hasPrefix(log + "/"), let revision = Int(id.dropFirst(log.count + 1)),
      (1...LogFormat.revisionLimit).contains(revision),
      id == Self.id(log: log, revision: revision)
    else { return nil }
    return (log: log, revision: revision)
  }
}
