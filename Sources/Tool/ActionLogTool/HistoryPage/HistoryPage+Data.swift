import ActionLog
import JSONCoding
import TextDisplay
import TimeTravel

extension HistoryPage {
  /// The lines of the data: what the page is about, the state that it begins with (``PageState``), and a line for each action.
  ///
  /// The line of an action has parts between tabs, which JSON never holds as they are: `[time,type,data,meta]` without `meta` where
  /// there is none, the changes `[[kind,path,value]…]`, and at some actions the state after it, if the first state is complete.
  ///
  /// - Complexity: O(size of the excerpt).
  func data() throws(JSONError) -> String {
    var lines = [Self.harmless(header.bytes()), Self.harmless(state.bytes)]
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
    var parts = [harmless(JSONValue.array(action).bytes()), harmless(changes.bytes())]
    if carriesKeyframe, let keyframe = step.keyframe { parts.append(harmless(keyframe.root.bytes())) }
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

  /// JSON text in which every character that could end the element, or mislead whoever reads the source, is an escape. Such
  /// characters stand in strings only, so the values are the same.
  static func harmless(_ bytes: [UInt8]) -> String {
    // Nearly every text is plain ASCII without them, which a look at the bytes tells.
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.contains(where: { byte in byte >= 0x7F || byte == 0x3C || byte == 0x3E || byte == 0x26 }) else {
      return text
    }
    var result = String.UnicodeScalarView()
    for scalar in TerminalText.escaping(text).unicodeScalars {
      switch scalar {
      case "<": result.append(contentsOf: "\\u003c".unicodeScalars)
      case ">": result.append(contentsOf: "\\u003e".unicodeScalars)
      case "&": result.append(contentsOf: "\\u0026".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
