import ActionLog
import JSONCoding
import TextDisplay
import TimeTravel

/// Records as they are shown to people and handed to programs.
enum RecordText {
  /// A time to the millisecond, in UTC: `2026-11-21 09:00:05.123`.
  static func time(_ time: LogTime) -> String {
    let text = time.description
    return text.prefix(10) + " " + text.dropFirst(11).prefix(12)
  }

  /// What happened and when, as cells: revision, time, type.
  ///
  /// - Parameter columns: How wide the whole line may be, if that is limited: a long type must leave room for the rest.
  static func heading(_ record: LogRecord, style: Style, columns: Int? = nil) -> [TextTable.Cell] {
    let type = TerminalText.escaping(record.type)
    let limit = columns.map { columns in max(16, columns * 3 / 8) } ?? .max
    return [
      .init(record.isControl ? "" : String(record.seq), paint: style.cyan),
      .init(time(record.time), paint: style.dim),
      .init(TextWidth.truncatedHead(type, toColumns: limit), paint: record.isControl ? style.dim : style.bold),
    ]
  }

  /// The cells of a record in a list: ``heading(_:style:)``, who did it, and the values.
  static func cells(
    _ record: LogRecord, style: Style, columns: Int? = nil
  ) throws(JSONError) -> [TextTable.Cell] {
    let (actor, values) = try values(record)
    return heading(record, style: style, columns: columns) + [
      .init(TerminalText.escaping(actor), paint: style.yellow),
      .init(TerminalText.escaping(values), paint: record.isControl ? style.dim : nil),
    ]
  }

  /// The alignments of ``cells(_:style:)``.
  static let alignments: [TextTable.Alignment] = [.right, .left, .left, .left, .left]

  /// Who did it, and data and further remarks as they stand in the log; nothing when they are empty.
  private static func values(_ record: LogRecord) throws(JSONError) -> (actor: String, text: String) {
    var actor = ""
    var parts: [String] = []
    let data = String(decoding: record.dataBytes, as: UTF8.self)
    if data != "{}" { parts.append(data) }
    if let meta = record.meta, case .object(var object) = try JSONValue(parsing: meta) {
      if case .string(let name)? = object["actor"] {
        actor = name
        object["actor"] = nil
      }
      if !object.isEmpty { parts.append("meta \(JSONValue.object(object))") }
    }
    return (actor, parts.joined(separator: "  "))
  }

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
