import ActionLog
import JSONCoding

/// Which records are meant, by what was asked for on the command line. A filter never renumbers.
struct RecordFilter: Sendable {
  static let type = CommandOption.value(
    "type", letter: "t", "PATTERN", isRepeatable: true, "only types like ui.*, *.onAppear, or with this part: onAppear")
  static let actor = CommandOption.value("actor", "NAME", "only actions whose meta.actor is this")
  static let text = CommandOption.value("grep", letter: "g", "TEXT", "only actions whose data or meta hold this text")
  static let all = CommandOption.flag("all", letter: "a", "show control records (@open, @digest …) too")
  static let options = [type, actor, text, all]

  private let patterns: [TypePattern]
  private let actor: String?
  private let text: [UInt8]?
  let includesControl: Bool

  init(_ arguments: ParsedArguments) {
    patterns = arguments.values(of: Self.type).map(TypePattern.init)
    actor = arguments.value(of: Self.actor)
    text = arguments.value(of: Self.text).map { text in Array(text.utf8) }
    includesControl = arguments.has(Self.all)
  }

  /// Whether anything was asked for, so that nothing found is a negative answer.
  var isSelective: Bool { !patterns.isEmpty || actor != nil || text != nil }

  func matches(_ record: LogRecord) throws(JSONError) -> Bool {
    if record.isControl, !includesControl { return false }
    if !patterns.isEmpty, !patterns.contains(where: { pattern in pattern.matches(record.type) }) { return false }
    if let text, record.dataBytes.indexOf(text) == nil, record.meta?.indexOf(text) == nil { return false }
    if let actor { return try record.meta.map { meta throws(JSONError) in try Self.actor(in: meta) } == .some(actor) }
    return true
  }

  private static func actor(in meta: [UInt8]) throws(JSONError) -> String? {
    guard case .object(let object) = try JSONValue(parsing: meta), case .string(let actor)? = object["actor"] else {
      return nil
    }
    return actor
  }
}
