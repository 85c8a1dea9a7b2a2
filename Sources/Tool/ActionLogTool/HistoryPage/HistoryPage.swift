import ActionLog
import EventSourcing
import Foundation
import JSONCoding
import Platform
import TerminalUI
import TimeTravel

/// A self-contained HTML file about a range of a history. It works from a local disk and never uses the network.
///
/// The history is embedded as lines of JSON in a script element of a data type, which browsers do not execute. Characters that
/// could end the element or mislead a reader of the source are escaped. The content security policy allows the page's own script
/// and style sheet, by their hashes, and nothing else.
///
/// The markup, the style sheet and the script are the files in `Page`, which the package embeds into the program.
struct HistoryPage: Sendable {
  /// The path of the log as the user entered it.
  var log: String
  var model: String
  var schema: Int
  /// The log's identifier.
  var identifier: String
  /// The last revision of the log, which can be after the last one of the page.
  var lastRevision: Int
  var excerpt: HistoryExcerpt
  /// The state at the first revision of the page.
  var state: PageState
  /// The marks of the log. Those outside the excerpt are left out.
  var marks: [Mark] = []
  /// The conditions, evaluated for each revision. The page has no model and cannot evaluate conditions itself.
  var conditions: [PageCondition] = []
  /// The initially selected revision; `nil` for the last.
  var shown: Int?
  /// Notices at the top of the page, for instance that the log is damaged.
  var notices: [String] = []
  /// The name and the version of the tool.
  var maker: String

  /// The contents of the file.
  ///
  /// - Throws: `JSONError` if a record contains invalid JSON, which the reader of the log has excluded.
  /// - Complexity: O(size of the excerpt).
  func html() throws(JSONError) -> String {
    let title = Self.escaped("\(model): \(log)")
    let notes = notices.map { notice in "<p class=\"notice\" role=\"note\">\(Self.escaped(notice))</p>\n" }.joined()
    return Self.fill(
      Self.text(PackageResources.page_html),
      [
        "policy": Self.policy, "title": title, "style": Self.style, "script": Self.script, "notices": notes,
        "about": Self.escaped("\(extent), log \(identifier), schema \(schema), made by \(maker)"),
        "data": try data(),
      ])
  }

  private var extent: String {
    let isComplete = excerpt.first == 0 && excerpt.last == lastRevision
    return "revisions \(excerpt.first)…\(excerpt.last)" + (isComplete ? "" : " of 0…\(lastRevision)")
  }
}

/// A condition, and the revisions of a page at which it holds, as the engine evaluated it.
struct PageCondition: Sendable {
  /// The condition as the user entered it.
  var text: String
  /// The revisions, in order.
  var revisions: [Int]

  /// The text, and the first and last revision of each range in which the condition holds.
  fileprivate var json: JSONValue {
    var ends: [Int] = []
    for revision in revisions {
      if ends.last == revision - 1 { ends[ends.count - 1] = revision } else { ends += [revision, revision] }
    }
    return ["text": .string(text), "ends": .array(ends.map(JSONValue.integer))]
  }
}

// MARK: - Template

extension HistoryPage {
  /// The script: files that share one scope. It inserts texts from a log as text nodes only, never as markup.
  private static let script =
    "\"use strict\";\n(() => {\n"
    + [
      PackageResources.values_js, PackageResources.states_js, PackageResources.rows_js, PackageResources.parts_js,
      PackageResources.panes_js, PackageResources.keys_js, PackageResources.start_js,
    ].map(text).joined() + "})();"

  /// The style sheet without its final line feed.
  private static let style = String(text(PackageResources.page_css).dropLast())

  /// The content security policy: the page's own script and style sheet.
  private static let policy = """
    default-src 'none'; script-src '\(hash(script))'; style-src '\(hash(style))'; base-uri 'none'; form-action 'none'
    """

  static func hash(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(text.utf8)).base64EncodedString()
  }

  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Replaces each `{{name}}` of a template by its value. Values are inserted unchanged, whatever they contain.
  static func fill(_ template: String, _ values: [String: String]) -> String {
    var result = ""
    var rest = template[...]
    while let start = rest.range(of: "{{"), let end = rest.range(of: "}}", range: start.upperBound..<rest.endIndex) {
      guard let value = values[String(rest[start.upperBound..<end.lowerBound])] else {
        preconditionFailure("the template of the page has an unknown name")
      }
      result += rest[..<start.lowerBound] + value
      rest = rest[end.upperBound...]
    }
    return result + rest
  }

  /// Escapes text for markup, including control characters and bidirectional controls.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in TerminalText.escaping(text).unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}

// MARK: - Data

extension HistoryPage {
  /// The data: a header, the first state (``PageState``), and a line for each action.
  ///
  /// The line of an action has tab-separated parts: `[time,type,data,meta]`, without `meta` if there is none, the changes as
  /// `[[kind,path,value]…]`, and at some actions the state after it, if the first state is complete. JSON contains no tabs.
  ///
  /// - Complexity: O(size of the excerpt).
  private func data() throws(JSONError) -> String {
    var lines = [Self.scriptSafe(header.bytes()), Self.scriptSafe(state.bytes)]
    for step in excerpt.steps { lines.append(try Self.line(step, carriesKeyframe: state.leftOutCount == 0)) }
    return lines.joined(separator: "\n")
  }

  private var header: JSONValue {
    let marks = marks.filter { mark in (excerpt.first...excerpt.last).contains(mark.revision) }
    return [
      "first": .integer(excerpt.first), "last": .integer(excerpt.last),
      "at": .integer(min(max(shown ?? excerpt.last, excerpt.first), excerpt.last)),
      "marks": .array(
        marks.map { mark in
          var object: JSONObject = ["revision": .integer(mark.revision), "name": .string(mark.name)]
          object["remark"] = mark.remark.map(JSONValue.string)
          return .object(object)
        }),
      "conditions": .array(conditions.map(\.json)),
    ]
  }

  private static func line(_ step: HistoryExcerpt.Step, carriesKeyframe: Bool) throws(JSONError) -> String {
    let record = step.record
    var action: [JSONValue] = [.string(record.time.description), .string(record.type)]
    action.append(try JSONValue(parsing: record.dataBytes))
    if let meta = record.meta { action.append(try JSONValue(parsing: meta)) }
    let changes = JSONValue.array(step.changes.operations.map(change))
    var parts = [scriptSafe(JSONValue.array(action).bytes()), scriptSafe(changes.bytes())]
    if carriesKeyframe, let keyframe = step.keyframe { parts.append(scriptSafe(keyframe.root.bytes())) }
    return parts.joined(separator: "\t")
  }

  private static func change(_ operation: JSONPatch.Operation) -> JSONValue {
    switch operation {
    case .add(let path, let value): [.string("+"), .string(path.description), value]
    case .remove(let path): [.string("-"), .string(path.description)]
    case .replace(let path, let value): [.string("="), .string(path.description), value]
    case .move, .copy, .test: preconditionFailure("changes add, remove and replace")
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
