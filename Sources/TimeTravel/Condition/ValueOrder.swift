import JSONCoding

/// How two values stand to each other.
enum ValueOrder {
  case before
  case same
  case after

  /// Compares two values; `nil` if they are different and neither comes first.
  ///
  /// Numbers are compared exactly, whatever their texts, strings by their code points.
  static func of(_ left: JSONValue, _ right: JSONValue) -> ValueOrder? {
    switch (left, right) {
    case (.number(let left), .number(let right)): DecimalNumber.order(left.text, right.text)
    case (.string(let left), .string(let right)):
      left.utf8.elementsEqual(right.utf8)
        ? .same : (left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after)
    default: NumericEquality.areEqual(left, right) ? .same : nil
    }
  }
}
