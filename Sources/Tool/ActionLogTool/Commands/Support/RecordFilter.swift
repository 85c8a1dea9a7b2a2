import ActionLog
import JSONCoding
import TimeTravel

/// The filter options of a command. A filter never renumbers.
struct RecordFilter {
  static let type = CommandOption.value(
    "type", letter: "t", "PATTERN", isRepeatable: true, "only types like ui.*, *.onAppear, or with this part: onAppear")
  static let actor = CommandOption.value("actor", "NAME", "only actions whose meta.actor is this")
  static let text = CommandOption.value(
    "grep", letter: "g", "TEXT", "only actions whose data or meta contain this text, in the same case")
  static let all = CommandOption.flag("all", "also show control records (@open, @digest …)")
  static let condition = CommandOption.value(
    "where", letter: "w", "CONDITION", "only actions for which this holds, for instance 'data/count > 3'")
  static let filters = [type, actor, text, condition]
  static let options = filters + [all]

  private let types: TypeFilter
  private let actor: SoughtName?
  private let text: TextFilter?
  /// The condition, if it concerns the state; ``matches(_:)`` then ignores it.
  let stateCondition: Condition?
  private let question: RecordMatcher?
  private let includesControl: Bool

  /// - Parameter includesControl: Whether to include control records without `--all`.
  init(_ arguments: ParsedArguments, includesControl: Bool) throws {
    types = TypeFilter(arguments.values(of: Self.type))
    actor = arguments.value(of: Self.actor).map { name in SoughtName(name, of: Self.actor) }
    text = arguments.value(of: Self.text).map(TextFilter.init)
    let condition = try arguments.value(of: Self.condition).map { text in try Condition(parsing: text) }
    let looksAtStates = condition?.readsState ?? false
    stateCondition = looksAtStates ? condition : nil
    question = try looksAtStates ? nil : condition.map(RecordMatcher.init)
    self.includesControl = includesControl || arguments.has(Self.all)
  }

  func matches(_ record: LogRecord) throws -> Bool {
    if record.isControl, !includesControl { return false }
    guard types.matches(record.type) else { return false }
    if let text, !text.matches(record) { return false }
    if let actor {
      let name = try record.actor()
      let isMatch = name.map(ExactName.init) == ExactName(actor.text)
      actor.note(isMatch: isMatch, record.isControl ? nil : name)
      guard isMatch else { return false }
    }
    return try question?.holds(for: record) ?? true
  }

  /// A screen for lines of actions up to a revision that do not match.
  ///
  /// The filters note what they see, for hints. So a filter excludes lines before ``matches(_:)`` only when those before it need no
  /// hint.
  func screen(upTo last: Int) -> LineScreen {
    LineScreen(upTo: last, excludingType: types.isEmpty ? nil : { [types] bytes in types.excludes(bytes) }) {
      [text, actor, question] in
      var texts = text.map(\.requiredTexts) ?? []
      guard text?.hasMatched ?? true else { return texts }
      texts += actor?.requiredTexts ?? []
      guard actor?.hasMatched ?? true else { return texts }
      return texts + (question?.requiredTexts ?? [])
    }
  }

  var hints: [QuestionHint] {
    types.hints + [actor?.hint, text?.hint].compactMap(\.self) + (question?.hints ?? [])
  }
}

struct TextPattern: Sendable {
  private let text: String
  private let bytes: ByteText
  /// Whether letters outside ASCII must be compared in either case, for which bytes are not enough.
  private let needsUnicode: Bool

  init(_ text: String, ignoringCase ignoresCase: Bool = false) {
    self.text = text.lowercased()
    bytes = ByteText(ignoresCase ? self.text : text, ignoringCase: ignoresCase)
    needsUnicode = ignoresCase && self.text.utf8.contains { byte in byte >= 0x80 }
  }

  /// The text as it is in every line in which it is found; `nil` if letters have more than one form.
  var required: LineScreen.RequiredText? { needsUnicode ? nil : .init(bytes, isEscapable: false) }

  func isFound(in record: LogRecord) -> Bool {
    isFound(in: Array(record.type.utf8)[...]) || isFound(inValuesOf: record)
  }

  func isFound(inValuesOf record: LogRecord) -> Bool {
    isFound(in: record.dataBytes) || record.meta.map { meta in isFound(in: meta[...]) } ?? false
  }

  private func isFound(in haystack: ArraySlice<UInt8>) -> Bool {
    if needsUnicode { return String(decoding: haystack, as: UTF8.self).lowercased().contains(text) }
    return haystack.withUnsafeBytes(bytes.isFound)
  }
}

extension LogRecord {
  func actor() throws(JSONError) -> String? {
    guard let meta, case .object(let object) = try JSONValue(parsing: meta), case .string(let actor)? = object["actor"]
    else { return nil }
    return actor
  }
}

/// The text of `--grep`, with a hint if it is there in another case only.
final class TextFilter {
  private let text: String
  private let pattern: TextPattern
  private let patternInAnyCase: TextPattern
  private(set) var hasMatched = false
  /// The first action that has the text in another case.
  private var other: Int?

  init(_ text: String) {
    self.text = text
    (pattern, patternInAnyCase) = (TextPattern(text), TextPattern(text, ignoringCase: true))
  }

  func matches(_ record: LogRecord) -> Bool {
    if pattern.isFound(inValuesOf: record) {
      hasMatched = true
      return true
    }
    if !hasMatched, other == nil, patternInAnyCase.isFound(inValuesOf: record) { other = record.revision }
    return false
  }

  /// Every action counts that has the text in any case, until the hint is known.
  var requiredTexts: [LineScreen.RequiredText] {
    [(hasMatched || other != nil ? pattern : patternInAnyCase).required].compactMap(\.self)
  }

  var hint: QuestionHint? {
    guard !hasMatched, let other else { return nil }
    return QuestionHint(
      "\(option: RecordFilter.text, "\(text)") matches no action; case matters, and action \(other) has it in another case"
    )
  }
}

/// A name that an option asks for, and those that the checked actions have, for a hint if it matches none of them.
///
/// A class, because matching records the names that it meets. It is not shared between threads.
private final class SoughtName {
  let option: CommandOption
  let text: String
  private(set) var hasMatched = false
  private var others: Set<String> = []
  /// The number of names that are kept for the hint.
  private static let limit = 1_000

  init(_ text: String, of option: CommandOption) { (self.text, self.option) = (text, option) }

  func note(isMatch: Bool, _ name: String?) {
    guard !hasMatched else { return }
    if isMatch {
      (hasMatched, others) = (true, [])
    } else if let name, others.count < Self.limit {
      others.insert(name)
    }
  }

  /// The name, once there is no need for others.
  var requiredTexts: [LineScreen.RequiredText] {
    hasMatched ? [LineScreen.RequiredText(jsonString: text)].compactMap(\.self) : []
  }

  /// The nearest name, or part of one between dots.
  var hint: QuestionHint? {
    let parts = Set(others.flatMap { name in name.split(separator: ".").map(String.init) })
    guard !hasMatched, let near = Suggestion.closest(to: text, among: parts.sorted() + others.sorted()) else {
      return nil
    }
    // Two names that look alike.
    let difference = ExactName(near).difference(from: text).map { difference in ": the log has \(difference)" }
    return QuestionHint("\(option: option, "\(text)") matches no action\(difference ?? "")", suggestions: [near])
  }
}

/// The patterns of `--type`, with hints on those that match nothing.
///
/// A class, because matching records the types that it meets. It is not shared between threads.
final class TypeFilter {
  private let entries: [(sought: SoughtName, pattern: ActionTypePattern)]
  /// The answers for some types, by their bytes in the log.
  private var known: [(bytes: [UInt8], isMatch: Bool)] = []

  /// Comparing a type with so many takes as long as matching it.
  private static let knownLimit = 32

  /// - Parameter texts: The patterns; an empty list matches every type.
  init(_ texts: [String]) {
    entries = texts.map { text in (SoughtName(text, of: RecordFilter.type), ActionTypePattern(text)) }
  }

  var isEmpty: Bool { entries.isEmpty }

  func excludes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let place = known.firstIndex { known in known.bytes.count == bytes.count && known.bytes.elementsEqual(bytes) }
    if let place { return !known[place].isMatch }
    let isMatch = matches(String(decoding: bytes, as: UTF8.self))
    if known.count < Self.knownLimit { known.append((Array(bytes), isMatch)) }
    return !isMatch
  }

  func matches(_ type: String) -> Bool {
    var isMatch = entries.isEmpty
    for (sought, pattern) in entries {
      let isOfEntry = pattern.matches(type)
      sought.note(isMatch: isOfEntry, type)
      isMatch = isMatch || isOfEntry
    }
    return isMatch
  }

  var hints: [QuestionHint] { entries.compactMap { entry in entry.sought.hint } }
}
