import ActionLog
import JSONCoding
import Platform

/// A recursive descent parser for conditions: one function for each level of precedence.
struct ConditionParser {
  private let text: String
  private var lexer: ConditionLexer
  private var token: ConditionToken
  private var depth = 0

  /// The parser recurses; deeper nesting could overflow the stack of a thread.
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
      return .test(try self.comparison(term, comparison))
    case .word("contains"):
      try advance()
      return .test(.contains(term, try self.term()))
    case .word("like"):
      try advance()
      guard case .value(.string(let pattern)) = token.kind else {
        throw error("expected a pattern in double quotes, for instance \"ui.*\"")
      }
      try advance()
      return .test(.like(term, WildcardPattern(pattern)))
    case .word("exists"):
      try advance()
      return .test(.exists(term))
    case .word("changed"):
      guard term.isOfState else { throw error("only a value of the state can have changed", at: start) }
      try advance()
      return .test(.changed(term))
    default:
      if case .literal(let value) = term, value != true, value != false {
        throw error("expected a comparison after a value", suggesting: [])
      }
      return .test(.isTrue(term))
    }
  }

  private mutating func comparison(
    _ left: ConditionTerm, _ comparison: ConditionOperator
  ) throws(TimeTravelError) -> ConditionTest {
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
    case "seq": return .revision
    case "time": return .time
    case "data": return .data(.root)
    case "meta": return .meta(.root)
    case "count":
      guard token.kind == .open else { throw error("expected '(' after 'count'") }
      try advance()
      let counted = try term()
      if case .count = counted { throw error("a count has no elements to be counted") }
      guard token.kind == .close else { throw error("expected ')'") }
      try advance()
      return .count(counted)
    default: break
    }
    if let pointer = pointer(word, following: "data") { return .data(pointer) }
    if let pointer = pointer(word, following: "meta") { return .meta(pointer) }
    throw error(
      "\(EscapedText.quoting(word)) is not a value: write a value of the state as /\(word), a string as \"\(word)\"",
      at: start, suggesting: ["type", "seq", "time", "data", "meta", "count", "true", "false", "null", "not"])
  }

  private func pointer(_ word: String, following name: String) -> JSONPointer? {
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

/// Splits the text of a condition into tokens.
struct ConditionLexer {
  private let text: String
  private var place: String.Index

  /// A longer condition is a mistake, and would be slow to evaluate for every action.
  private static let limitBytes = 16_384

  init(_ text: String) throws(TimeTravelError) {
    self.text = text
    self.place = text.startIndex
    guard text.utf8.count <= Self.limitBytes else {
      throw TimeTravelError(.invalidCondition, "the condition is longer than \(Self.limitBytes) bytes")
    }
  }

  mutating func next() throws(TimeTravelError) -> ConditionToken {
    while place < text.endIndex, text[place].isWhitespace { place = text.index(after: place) }
    let start = place
    guard start < text.endIndex else { return ConditionToken(kind: .end, range: start..<start) }
    let kind = try kind()
    return ConditionToken(kind: kind, range: start..<place)
  }

  private mutating func kind() throws(TimeTravelError) -> ConditionToken.Kind {
    switch text[place] {
    case "(":
      advance()
      return .open
    case ")":
      advance()
      return .close
    case "\"": return .value(.string(try string()))
    case "'": return .pointer(try quotedPointer())
    case "/": return .pointer(try pointer(at: place, word()))
    case "=", "!", "<", ">": return try comparison()
    case "&", "|":
      let sign = text[place]
      throw error("write '\(sign == "&" ? "and" : "or")', not '\(sign)'", place)
    case "-", "0"..."9": return .value(.number(try number()))
    default: return word().map(ConditionToken.Kind.word) ?? .end
    }
  }

  private mutating func advance() { place = text.index(after: place) }

  private mutating func comparison() throws(TimeTravelError) -> ConditionToken.Kind {
    for candidate in ConditionOperator.allCases where text[place...].hasPrefix(candidate.rawValue) {
      place = text.index(place, offsetBy: candidate.rawValue.count)
      return .comparison(candidate)
    }
    throw error(text[place] == "=" ? "write '==' to compare" : "write 'not', or '!=' to compare", place)
  }

  private mutating func word() -> String? {
    let start = place
    while place < text.endIndex, !text[place].isWhitespace, !"()=<>!\"'&|".contains(text[place]) { advance() }
    return start == place ? nil : String(text[start..<place])
  }

  private func pointer(at start: String.Index, _ word: String?) throws(TimeTravelError) -> JSONPointer {
    guard let pointer = JSONPointer(word ?? "") else {
      throw error("'~' is written '~0' and '/' within a name '~1' in a JSON Pointer", start)
    }
    return pointer
  }

  private mutating func quotedPointer() throws(TimeTravelError) -> JSONPointer {
    let start = place
    advance()
    guard let end = text[place...].firstIndex(of: "'") else { throw error("the closing ' is missing", start) }
    let content = String(text[place..<end])
    place = text.index(after: end)
    guard content.isEmpty || content.hasPrefix("/") else {
      throw error("single quotes hold a JSON Pointer, which begins with '/'; write strings in double quotes", start)
    }
    return try pointer(at: start, content)
  }

  private mutating func string() throws(TimeTravelError) -> String {
    let start = place
    advance()
    while place < text.endIndex, text[place] != "\"" {
      if text[place] == "\\" { advance() }
      if place < text.endIndex { advance() }
    }
    guard place < text.endIndex else { throw error("the closing \" is missing", start) }
    advance()
    let content: JSONValue
    do throws(JSONError) {
      content = try JSONValue(parsing: Array(text[start..<place].utf8))
    } catch {
      throw self.error("the string is not valid JSON: \(error.message)", start)
    }
    guard case .string(let content) = content else { throw error("the string is not valid JSON", start) }
    return content
  }

  private mutating func number() throws(TimeTravelError) -> JSONNumber {
    let start = place
    let word = word() ?? ""
    if let number = JSONNumber(word) { return number }
    let isDate = word.count > 4 && word.prefix(4).allSatisfy(\.isNumber) && word.dropFirst(4).first == "-"
    throw error(
      isDate ? "a time is written in double quotes: \"\(word)\"" : "the number is not valid JSON", start)
  }

  private func error(_ message: String, _ place: String.Index) -> TimeTravelError {
    TimeTravelError(.invalidCondition, message, excerpt: ConditionExcerpt(text: text, place: place))
  }
}

struct ConditionToken {
  enum Kind: Equatable {
    case word(String)
    case pointer(JSONPointer)
    case value(JSONValue)
    case comparison(ConditionOperator)
    case open
    case close
    case end
  }

  var kind: Kind
  var range: Range<String.Index>
}

/// The text of a condition, and a character in it.
public struct ConditionExcerpt: Hashable, Sendable {
  /// The text of the condition.
  public let text: String
  /// The number of characters before the one that is meant.
  public let offset: Int

  init(text: String, place: String.Index) {
    self.text = text
    self.offset = text.distance(from: text.startIndex, to: place)
  }
}

extension ConditionExcerpt: CustomStringConvertible {
  /// For instance `at character 4 of: /a = 1`.
  public var description: String { "at character \(offset + 1) of: \(EscapedText.escaping(text))" }
}
