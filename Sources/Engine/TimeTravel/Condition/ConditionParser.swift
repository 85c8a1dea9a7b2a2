import ActionLog
import JSONCoding
import TextDisplay

/// Reads conditions, each function one level of strength.
struct ConditionParser {
  private let text: String
  private var lexer: ConditionLexer
  private var token: ConditionToken
  private var depth = 0
  /// How many tests there are so far.
  private var testCount = 0

  /// Deeper conditions would take more stack than a thread may have.
  private static let depthLimit = 64

  init(_ text: String) throws(TimeTravelError) {
    self.text = text
    lexer = try ConditionLexer(text)
    token = try lexer.next()
  }

  mutating func parse() throws(TimeTravelError) -> ConditionNode {
    if token.kind == .end { throw error("the condition is empty: write for instance /counter/value > 10") }
    let node = try disjunction()
    guard token.kind == .end else {
      throw error(
        token.kind == .close ? "there is no '(' for this ')'" : "expected 'and', 'or' or the end before this",
        suggesting: ["and", "or", "contains", "like", "exists", "changed"])
    }
    return node
  }

  private mutating func disjunction() throws(TimeTravelError) -> ConditionNode {
    var node = try conjunction()
    while try accept(word: "or") { node = .or(node, try conjunction()) }
    return node
  }

  private mutating func conjunction() throws(TimeTravelError) -> ConditionNode {
    var node = try negation()
    while try accept(word: "and") { node = .and(node, try negation()) }
    return node
  }

  private mutating func negation() throws(TimeTravelError) -> ConditionNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw error("the condition is nested deeper than \(Self.depthLimit) levels") }
    if try accept(word: "not") { return .not(try negation()) }
    guard token.kind == .open else { return try test() }
    try advance()
    let node = try disjunction()
    guard token.kind == .close else { throw error("expected ')'") }
    try advance()
    return node
  }

  private mutating func test() throws(TimeTravelError) -> ConditionNode {
    let start = token
    let term = try term()
    switch token.kind {
    case .comparison(let comparison):
      try advance()
      let end = token
      return made(try self.comparison(term, comparison), start, end)
    case .word("contains"):
      try advance()
      let end = token
      return made(.contains(term, try self.term()), start, end)
    case .word("like"):
      try advance()
      let end = token
      guard case .value(.string(let pattern)) = token.kind else {
        throw error("expected a pattern in double quotes, for instance \"ui.*\"")
      }
      try advance()
      return made(.like(term, WildcardPattern(pattern)), start, end)
    case .word("exists"):
      try advance()
      return made(.exists(term), start, start)
    case .word("changed"):
      guard term.isOfState else { throw error("only a value of the state can have changed", at: start) }
      try advance()
      return made(.changed(term), start, start)
    default:
      if case .literal(let value) = term, value != true, value != false {
        throw error("expected a comparison behind a value", suggesting: [])
      }
      return made(.isTrue(term), start, start)
    }
  }

  /// A test with its number, and with the places of its values.
  private mutating func made(_ kind: ConditionTest.Kind, _ start: ConditionToken, _ end: ConditionToken)
    -> ConditionNode
  {
    defer { testCount += 1 }
    func byte(_ token: ConditionToken) -> Int {
      text.utf8.distance(from: text.utf8.startIndex, to: token.range.lowerBound)
    }
    return .test(ConditionTest(kind: kind, number: testCount, start: byte(start), end: byte(end)))
  }

  private mutating func comparison(
    _ left: ConditionTerm, _ comparison: ConditionOperator
  ) throws(TimeTravelError) -> ConditionTest.Kind {
    let place = token
    let right = try term()
    guard left == .time else {
      if right == .time { throw error("write 'time' on the left of the comparison", at: place) }
      return .comparison(left, comparison, right)
    }
    guard case .literal(.string(let text)) = right else {
      throw error("a time is compared with a time in double quotes, \"2026-11-21T09:00:05Z\"", at: place)
    }
    do throws(TimeTravelError) {
      if let time = try ZonedTime.point(text) { return .time(comparison, time) }
    } catch {
      throw self.error(error.message, at: place)
    }
    throw error("write the time as \"2026-11-21T09:00:05Z\"", at: place)
  }

  private mutating func term() throws(TimeTravelError) -> ConditionTerm {
    let start = token
    switch token.kind {
    case .pointer(let pointer):
      try advance()
      return .state(pointer)
    case .value(let value):
      try advance()
      return .literal(value)
    case .word(let word):
      try advance()
      return try term(word, start)
    case .end: throw error("expected a value before the end")
    case .open, .close, .comparison: throw error("expected a value, for instance /counter/value or 12")
    }
  }

  private mutating func term(_ word: String, _ start: ConditionToken) throws(TimeTravelError) -> ConditionTerm {
    switch word {
    case "true": return .literal(true)
    case "false": return .literal(false)
    case "null": return .literal(nil)
    case "type": return .type
    case "seq": return .seq
    case "time": return .time
    case "data": return .data(.root)
    case "meta": return .meta(.root)
    case "count":
      guard token.kind == .open else { throw error("expected '(' behind 'count'") }
      try advance()
      let counted = try term()
      if case .count = counted { throw error("a count has no elements to be counted") }
      guard token.kind == .close else { throw error("expected ')'") }
      try advance()
      return .count(counted)
    default: break
    }
    if let pointer = pointer(word, behind: "data") { return .data(pointer) }
    if let pointer = pointer(word, behind: "meta") { return .meta(pointer) }
    throw error(
      "\(TerminalText.quoting(word)) is no value: write a place of the state as /\(word), a string as \"\(word)\"",
      at: start, suggesting: ["type", "seq", "time", "data", "meta", "count", "true", "false", "null", "not"])
  }

  private func pointer(_ word: String, behind name: String) -> JSONPointer? {
    word.hasPrefix(name + "/") ? JSONPointer(String(word.dropFirst(name.count))) : nil
  }

  private mutating func accept(word: String) throws(TimeTravelError) -> Bool {
    guard token.kind == .word(word) else { return false }
    try advance()
    return true
  }

  private mutating func advance() throws(TimeTravelError) { token = try lexer.next() }

  private func error(
    _ message: String, at place: ConditionToken? = nil, suggesting words: [String] = []
  ) -> TimeTravelError {
    let place = place ?? token
    var suggestions: [String] = []
    if case .word(let word) = place.kind { suggestions = NameSuggestion.suggestions(for: word, among: words) }
    return TimeTravelError(
      .invalidCondition, message, suggestions: suggestions,
      excerpt: ConditionExcerpt(text: text, place: place.range.lowerBound))
  }
}
