import JSONCoding
import Testing

/// A line that `record` answers with.
struct Answer: Equatable, Sendable {
  enum Outcome: Equatable, Sendable {
    case receipt(seq: Int)
    case refused(code: String)
    case failed(code: String)
  }

  let line: Int
  let outcome: Outcome

  init(line: Int, _ outcome: Outcome) {
    self.line = line
    self.outcome = outcome
  }

  init(parsing text: String) throws {
    let value = try JSONValue(parsing: Array(text.utf8))
    line = try #require(value["line"]?.integer, "\(text)")
    if let seq = value["seq"]?.integer {
      try #require(value["durability"]?.text != nil, "\(text)")
      outcome = .receipt(seq: seq)
    } else if let code = value["refused", "code"]?.text {
      outcome = .refused(code: code)
    } else {
      outcome = .failed(code: try #require(value["failed", "code"]?.text, "\(text)"))
    }
  }

  /// The revision that the receipt names, if it is one.
  var seq: Int? {
    guard case .receipt(let seq) = outcome else { return nil }
    return seq
  }
}
