import JSONCoding

/// Divides a condition into words.
struct ConditionLexer {
  private let text: String
  private var place: String.Index

  /// Longer conditions are somebody's mistake, and would be slow to look at for every action.
  private static let limitBytes = 16_384

  init(_ text: String) throws(TimeTravelError) {
    self.text = text
    self.place = text.startIndex
    guard text.utf8.count <= Self.limitBytes else {
      throw TimeTravelError(.invalidCondition, "the condition is longer than \(Self.limitBytes) bytes")
    }
  }

  /// The next word.
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

  /// Characters up to white space or a sign of the language.
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
      throw self.error("the string is not as JSON writes one: \(error.message)", start)
    }
    guard case .string(let content) = content else { throw error("the string is not as JSON writes one", start) }
    return content
  }

  private mutating func number() throws(TimeTravelError) -> JSONNumber {
    let start = place
    let word = word() ?? ""
    if let number = JSONNumber(word) { return number }
    let isDate = word.count > 4 && word.prefix(4).allSatisfy(\.isNumber) && word.dropFirst(4).first == "-"
    throw error(
      isDate ? "a time is written in double quotes: \"\(word)\"" : "the number is not as JSON writes one", start)
  }

  private func error(_ message: String, _ place: String.Index) -> TimeTravelError {
    TimeTravelError(.invalidCondition, message, excerpt: ConditionExcerpt(text: text, place: place))
  }
}
