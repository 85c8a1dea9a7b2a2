import JSONCoding

/// Equality as the `test` operation of RFC 6902, section 4.6, asks for: numbers are equal if their values are, so that
/// `1`, `1.0` and `10e-1` pass for each other. Everywhere else in this module their texts are compared.
enum NumericEquality {
  static func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.number(let left), .number(let right)):
      DecimalNumber.order(left.text, right.text) == .same
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy(areEqual)
    case (.object(let left), .object(let right)):
      left.count == right.count
        && left.allSatisfy { member in right[member.name].map { value in areEqual(member.value, value) } ?? false }
    default:
      left == right
    }
  }
}
