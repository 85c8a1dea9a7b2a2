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
public struct CloudEventsExport {
  private let header: LogHeader

  /// Creates an export.
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

enum OwnEvent {
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
    let log = String(Substring(source.utf8.dropFirst(sourcePrefix.utf8.count)))
    guard id.hasPrefix(log + "/"), let revision = Int(Substring(id.utf8.dropFirst(log.utf8.count + 1))),
      (1...LogFormat.revisionLimit).contains(revision),
      id == Self.id(log: log, revision: revision)
    else { return nil }
    return (log: log, revision: revision)
  }
}

/// A reader of CloudEvents, one JSON object per line.
///
/// Events that were exported from a log are imported as the original actions. Foreign events are imported without loss: `type` and `time`
/// become the action's, `data` becomes its data (in the member `_0` if it is not an object), and the other attributes become the
/// member `cloudevent` of its metadata.
///
/// - SeeAlso: CloudEvents 1.0.2, "JSON Event Format".
public struct CloudEventsImport: Sendable {
  /// The maximum length of a line without its line feed: twice the limit of a log, plus 64 KiB. An action's metadata is a string in an
  /// event, where escaping can double its length, and the additional attributes need less than 64 KiB.
  public static let lineLimitBytes = 2 * LogFormat.lineLimitBytes + (64 << 10)

  /// The log that the events were exported from; `nil` until the first such event.
  public private(set) var log: String?
  /// The model of the exported actions; `nil` until the first such event.
  public private(set) var model: String?

  private var line = 0
  private var byteOffset = 0
  private var lastRevision: Int?

  /// Creates a reader for a new text.
  public init() {}

  /// Reads the next line.
  public mutating func next(_ bytes: ArraySlice<UInt8>) throws(InterchangeError) -> ImportedAction? {
    line += 1
    defer { byteOffset += bytes.count + 1 }
    let isBlank = bytes.allSatisfy { byte in byte == 0x20 || byte == 0x09 || byte == 0x0D }
    if isBlank { return nil }
    do throws(InterchangeError) {
      var action = try action(bytes)
      action.line = line
      action.byteOffset = byteOffset
      return action
    } catch {
      var placed = error
      placed.line = line
      placed.byteOffset = byteOffset + (error.byteOffset ?? 0)
      throw placed
    }
  }

  /// Counts a skipped line that exceeds the length limit, and returns the error for it.
  public mutating func refuseLongLine() -> InterchangeError {
    line += 1
    return InterchangeError(
      .beyondLimit, "the event is longer than \(Self.lineLimitBytes) bytes", line: line, byteOffset: byteOffset)
  }

  private mutating func action(_ bytes: ArraySlice<UInt8>) throws(InterchangeError) -> ImportedAction {
    let event = try CloudEvent(bytes)
    guard let origin = event.origin else { return try event.foreignAction() }
    if let log, log != origin.log {
      throw InterchangeError(
        .wrongShape, "the event belongs to the log \(origin.log), the preceding events to \(log)",
        advice: "Import the events of one log at a time.")
    }
    if let lastRevision, origin.revision <= lastRevision {
      throw InterchangeError(
        .wrongShape, "the event of revision \(origin.revision) follows that of revision \(lastRevision)",
        advice: "Sort the lines by \"sequence\", and remove duplicates.")
    }
    (log, lastRevision, model) = (origin.log, origin.revision, origin.model)
    return try event.ownAction(revision: origin.revision)
  }
}
