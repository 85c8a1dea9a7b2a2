import JSONCoding

/// How two values stand to each other.
enum ValueOrder {
  case before
  case same
  case after

  /// Compares two values; `nil` if they are different and neither comes first.
  ///
  /// Numbers are compared exactly, whatever their texts. A string that holds a number, as a `Decimal` is encoded, compares with a
  /// number as a number, and two such strings are in the order of their numbers; they are the same only if their texts are. Other
  /// strings are in the order of their code points.
  static func of(_ left: JSONValue, _ right: JSONValue) -> ValueOrder? {
    switch (left, right) {
    case (.number(let left), .number(let right)): DecimalNumber.order(left.text, right.text)
    case (.number(let left), .string(let right)):
      JSONNumber(right).flatMap { right in DecimalNumber.order(left.text, right.text) }
    case (.string(let left), .number(let right)):
      JSONNumber(left).flatMap { left in DecimalNumber.order(left.text, right.text) }
    case (.string(let left), .string(let right)): order(left, right)
    default: NumericEquality.areEqual(left, right) ? .same : nil
    }
  }

  private static func order(_ left: String, _ right: String) -> ValueOrder {
    if left.utf8.elementsEqual(right.utf8) { return .same }
    let text: ValueOrder = left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
    guard let left = JSONNumber(left), let right = JSONNumber(right) else { return text }
    // "1.0" and "1.00" are two texts; which comes first has to be said all the same.
    let order = DecimalNumber.order(left.text, right.text)
    return order == .same ? text : order ?? text
  }
}
