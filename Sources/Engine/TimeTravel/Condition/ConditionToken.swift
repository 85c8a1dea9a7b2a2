import JSONCoding

/// A word of a condition, with its place.
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
  /// The characters that it takes.
  var range: Range<String.Index>
}
