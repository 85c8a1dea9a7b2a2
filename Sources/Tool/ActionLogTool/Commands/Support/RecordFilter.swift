import ActionLog
import JSONCoding
import TimeTravel

/// Which records are meant, by what was asked for on the command line. A filter never renumbers.
struct RecordFilter {
  static let type = CommandOption.value(
    "type", letter: "t", "PATTERN", isRepeatable: true, "only types like ui.*, *.onAppear, or with this part: onAppear")
  static let actor = CommandOption.value("actor", "NAME", "only actions whose meta.actor is this")
  static let text = CommandOption.value("grep", letter: "g", "TEXT", "only actions whose data or meta hold this text")
  static let all = CommandOption.flag("all", letter: "a", "show control records (@open, @digest …) too")
  static let condition = CommandOption.value(
    "where", letter: "w", "CONDITION", "only actions for which this holds, for instance 'data/count > 3'")
  /// What leaves actions out.
  static let filters = [type, actor, text, condition]
  static let options = filters + [all]

  private let types: TypeFilter
  private let actor: String?
  private let text: TextPattern?
  /// The condition, if it looks at states: then ``matches(_:)`` leaves it out.
  let stateCondition: Condition?
  /// The condition, if it looks at the action alone.
  private let question: RecordQuestion?
  private let includesControl: Bool

  /// - Parameter includesControl: Whether control records are meant also without `--all`.
  /// - Throws: A condition that makes no sense.
  init(_ arguments: ParsedArguments, includesControl: Bool) throws {
    types = TypeFilter(arguments.values(of: Self.type))
    actor = arguments.value(of: Self.actor)
    text = arguments.value(of: Self.text).map { text in TextPattern(text) }
    let condition = try arguments.value(of: Self.condition).map { text in try Condition(parsing: text) }
    let looksAtStates = condition?.asksForState ?? false
    stateCondition = looksAtStates ? condition : nil
    question = try looksAtStates ? nil : condition.map(RecordQuestion.init)
    self.includesControl = includesControl || arguments.has(Self.all)
  }

  func matches(_ record: LogRecord) throws -> Bool {
    if record.isControl, !includesControl { return false }
    guard types.matches(record.type) else { return false }
    if let text, !text.isFound(inValuesOf: record) { return false }
    if let actor, try record.actor() != actor { return false }
    return try question?.holds(for: record) ?? true
  }

  /// What may be wrong with what was asked for, as the records show that came to it.
  var hints: [QuestionHint] { types.hints + (question?.hints ?? []) }
}

/// A text to find in records: byte for byte, or in either case.
struct TextPattern: Sendable {
  private let text: String
  /// The bytes to find; those of the lowercase letters if case is ignored.
  private let bytes: [UInt8]
  /// Maps a byte of a record to the byte that is compared.
  private let folded: [UInt8]
  /// Whether letters outside ASCII must be compared in either case, which bytes cannot tell.
  private let needsUnicode: Bool

  init(_ text: String, ignoringCase ignoresCase: Bool = false) {
    self.text = text.lowercased()
    bytes = Array((ignoresCase ? self.text : text).utf8)
    folded = (0...UInt8.max).map { byte in ignoresCase && (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    needsUnicode = ignoresCase && bytes.contains { byte in byte >= 0x80 }
  }

  /// Whether the type, data or meta of a record has the text.
  ///
  /// - Complexity: O(length of the record).
  func isFound(in record: LogRecord) -> Bool {
    isFound(in: Array(record.type.utf8)[...]) || isFound(inValuesOf: record)
  }

  /// Whether data or meta of a record has the text.
  ///
  /// - Complexity: O(length of the record).
  func isFound(inValuesOf record: LogRecord) -> Bool {
    isFound(in: record.dataBytes) || record.meta.map { meta in isFound(in: meta[...]) } ?? false
  }

  private func isFound(in haystack: ArraySlice<UInt8>) -> Bool {
    if needsUnicode { return String(decoding: haystack, as: UTF8.self).lowercased().contains(text) }
    guard let first = bytes.first else { return true }
    return haystack.withUnsafeBufferPointer { haystack in
      folded.withUnsafeBufferPointer { folded in
        var start = 0
        while start + bytes.count <= haystack.count {
          if folded[Int(haystack[start])] == first,
            bytes.indices.allSatisfy({ index in folded[Int(haystack[start + index])] == bytes[index] })
          {
            return true
          }
          start += 1
        }
        return false
      }
    }
  }
}

extension LogRecord {
  /// Who did it, as its `meta` says.
  ///
  /// - Complexity: O(length of `meta`).
  func actor() throws(JSONError) -> String? {
    guard let meta, case .object(let object) = try JSONValue(parsing: meta), case .string(let actor)? = object["actor"]
    else { return nil }
    return actor
  }
}
