import JSONCoding
import TextDisplay

/// A value that a condition looks at.
indirect enum ConditionTerm: Hashable, Sendable {
  case state(JSONPointer)
  case count(ConditionTerm)
  case type
  case seq
  case time
  case data(JSONPointer)
  case meta(JSONPointer)
  case literal(JSONValue)
}

extension ConditionTerm {
  /// Whether the value belongs to a state.
  var isOfState: Bool {
    switch self {
    case .state: true
    case .count(let term): term.isOfState
    case .type, .seq, .time, .data, .meta, .literal: false
    }
  }

  /// The value, where it was written down as such.
  var literal: JSONValue? {
    if case .literal(let value) = self { return value }
    return nil
  }

  /// The string, where it was written down as such.
  var text: String? {
    if case .literal(.string(let text)) = self { return text }
    return nil
  }
}

extension ConditionTerm: CustomStringConvertible {
  /// As it is written in a condition.
  var description: String {
    switch self {
    case .state(let pointer): pointer == .root ? "''" : TerminalText.escaping(pointer.description)
    case .count(let term): "count(\(term))"
    case .type: "type"
    case .seq: "seq"
    case .time: "time"
    case .data(let pointer): "data" + TerminalText.escaping(pointer.description)
    case .meta(let pointer): "meta" + TerminalText.escaping(pointer.description)
    case .literal(.string(let text)): TerminalText.quoting(text)
    case .literal(let value): TerminalText.escaping(value.description)
    }
  }
}
