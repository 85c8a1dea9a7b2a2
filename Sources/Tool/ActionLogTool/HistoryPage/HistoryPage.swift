import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

/// A self-contained HTML file about a range of a history. It works from a local disk and never uses the network.
///
/// It is the page of `inspect` with the answers of the service in the file: as lines of JSON in a script element of a data type, which
/// browsers do not execute. Characters that could end the element or mislead a reader of the source are escaped.
struct HistoryPage: Sendable {
  /// The description of the log, as the service answers it, without the members that this page knows.
  var description: JSONObject
  /// The last revision of the log, which can be after the last one of the page.
  var lastRevision: Int
  var excerpt: HistoryExcerpt
  /// The marks of the log. Those outside the excerpt are left out.
  var marks: [Mark] = []
  /// The initially selected revision; `nil` for the last.
  var shown: Int?
  var notices: [String] = []

  private static let document = PageDocument(source: PackageResources.offline_js)

  /// The contents of the file.
  ///
  /// - Throws: `JSONError` if a record contains invalid JSON, which the reader of the log has excluded.
  func html(title: String) throws -> String {
    let head = """
      <meta http-equiv="Content-Security-Policy" content="\(Self.document.policy)">
      <meta name="referrer" content="no-referrer">

      """
    return Self.document.html(
      title: title, head: head,
      data: "<script type=\"application/x-ndjson\" id=\"data\">\(try data())</script>\n")
  }

  private var part: String {
    let isComplete = excerpt.first == 0 && excerpt.last == lastRevision
    return "revisions \(excerpt.first)…\(excerpt.last)" + (isComplete ? "" : " of 0…\(lastRevision)")
  }
}

// MARK: - Data

extension HistoryPage {
  /// The description, the first state, and a line for each action: tab-separated, the action as the service answers it, the changes as
  /// `[[kind,path,value]…]`, and at some actions the state after it. JSON contains no tabs.
  private func data() throws -> String {
    var lines = [Self.scriptSafe(try header().bytes()), Self.scriptSafe(excerpt.base.root.bytes())]
    for step in excerpt.steps { lines.append(try Self.line(step)) }
    return lines.joined(separator: "\n")
  }

  private func header() throws -> JSONValue {
    let marks = marks.filter { mark in (excerpt.first...excerpt.last).contains(mark.revision) }
    let keyframes = excerpt.steps.filter { step in step.keyframe != nil }.map(\.record.revision)
    var object = description
    for (name, value) in [
      ("first", .integer(excerpt.first)), ("last", .integer(excerpt.last)), ("indexed", .integer(excerpt.last)),
      ("at", .integer(shown ?? excerpt.last)), ("part", .string(part)), ("isClosed", true),
      ("marks", try AnswerShape.array(of: .mark).json(marks)), ("notices", .array(notices.map(JSONValue.string))),
      ("keyframes", .array(keyframes.map(JSONValue.integer))),
    ] as [(String, JSONValue)] { object[name] = value }
    return .object(object)
  }

  private static func line(_ step: HistoryExcerpt.Step) throws(JSONError) -> String {
    let record = step.record
    // The page reads the time and the type by their places.
    var action: JSONObject = ["time": .string(record.time.description), "type": .string(record.type)]
    for (name, value) in InspectorText.summary(of: record) { action[name] = value }
    action["data"] = try JSONValue(parsing: record.dataBytes)
    if let meta = record.meta { action["meta"] = try JSONValue(parsing: meta) }
    let changes = JSONValue.array(step.changes.operations.map(change))
    var parts = [scriptSafe(JSONValue.object(action).bytes()), scriptSafe(changes.bytes())]
    if let keyframe = step.keyframe { parts.append(scriptSafe(keyframe.root.bytes())) }
    return parts.joined(separator: "\t")
  }

  private static func change(_ operation: JSONPatch.Operation) -> JSONValue {
    switch operation {
    case .add(let path, let value): [.string("+"), .string(path.description), value]
    case .remove(let path): [.string("-"), .string(path.description)]
    case .replace(let path, let value): [.string("="), .string(path.description), value]
    case .test, .move, .copy: preconditionFailure("changes add, remove and replace")
    }
  }

  /// JSON text without characters that could end the script element or mislead a reader of the source. They occur only in
  /// strings, where they are escaped, so the values are the same.
  private static func scriptSafe(_ bytes: [UInt8]) -> String {
    // Most texts are plain ASCII without such characters.
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.contains(where: { byte in byte >= 0x7F || byte == 0x3C || byte == 0x3E || byte == 0x26 }) else {
      return text
    }
    var result: [UInt8] = []
    for byte in TerminalText.escaping(text).utf8 {
      switch byte {
      case UInt8(ascii: "<"): result.append(contentsOf: "\\u003c".utf8)
      case UInt8(ascii: ">"): result.append(contentsOf: "\\u003e".utf8)
      case UInt8(ascii: "&"): result.append(contentsOf: "\\u0026".utf8)
      default: result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
