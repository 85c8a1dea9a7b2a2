import ActionLog
import JSONCoding
import TextDisplay
import TimeTravel

/// Records as they are shown to people and handed to programs.
enum RecordText {
  /// A time to the millisecond, in UTC: `2026-11-21 09:00:05.123`.
  static func time(_ time: LogTime) -> String {
    var bytes = Array(time.description.utf8.prefix(23))
    bytes[10] = UInt8(ascii: " ")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What happened and when, as cells: revision, time, type.
  ///
  /// - Parameter columns: How wide the whole line may be, if that is limited: a long type must leave room for the rest.
  static func heading(_ record: LogRecord, style: Style, columns: Int? = nil) -> [TextTable.Cell] {
    let type =
      columns.map { columns in
        TextWidth.truncatedHead(TerminalText.escaping(record.type), toColumns: max(16, columns * 3 / 8))
      } ?? record.type
    return [
      .init(record.isControl ? "" : String(record.seq), paint: style.cyan),
      .init(time(record.time), paint: style.dim),
      .init(type, paint: record.isControl ? style.dim : style.bold),
    ]
  }

  /// The cells of a record in a list: ``heading(_:style:)``, who did it, and the values.
  static func cells(
    _ record: LogRecord, style: Style, columns: Int? = nil
  ) throws(JSONError) -> [TextTable.Cell] {
    let (actor, values) = try values(record, columns: columns)
    return heading(record, style: style, columns: columns) + [
      .init(actor, paint: style.yellow), .init(values, paint: record.isControl ? style.dim : nil),
    ]
  }

  /// The alignments of ``cells(_:style:)``.
  static let alignments: [TextTable.Alignment] = [.right, .left, .left, .left, .left]

  /// The actor, and the data and other metadata as the log has them; empty texts for empty values.
  ///
  /// - Parameter columns: The width of a line, if it is limited: of long data only what can be shown is decoded.
  private static func values(_ record: LogRecord, columns: Int?) throws(JSONError) -> (actor: String, text: String) {
    var text = ""
    let data = record.dataBytes
    if !data.elementsEqual("{}".utf8) {
      text = String(decoding: columns.map { columns in data.prefix(bytesPerColumn * columns) } ?? data, as: UTF8.self)
    }
    guard let meta = record.meta, case .object(var object) = try JSONValue(parsing: meta) else { return ("", text) }
    var actor = ""
    if case .string(let name)? = object["actor"] {
      actor = name
      object["actor"] = nil
    }
    if !object.isEmpty { text += (text.isEmpty ? "" : "  ") + "meta \(JSONValue.object(object))" }
    return (actor, text)
  }

  /// The most bytes decoded for a column of the screen: a pictograph of several people takes 25 bytes and two columns.
  private static let bytesPerColumn = 64

  /// What programs get: the record without what only the log itself needs.
  static func json(_ record: LogRecord) throws(JSONError) -> JSONObject {
    var object: JSONObject = [
      "seq": .integer(record.seq), "time": .string(record.time.description), "type": .string(record.type),
      "data": try JSONValue(parsing: record.dataBytes),
    ]
    if let meta = record.meta { object["meta"] = try JSONValue(parsing: meta) }
    return object
  }
}
