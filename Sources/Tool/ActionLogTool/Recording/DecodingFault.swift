import JSONCoding

/// Why a value does not decode, in one sentence: where, and what was found there.
struct DecodingFault: CustomStringConvertible {
  let description: String

  /// What the decoding that the compiler writes says to programmers, said to whoever wrote the value. A text that is not
  /// here is passed on.
  private static let plainer = [
    unknownCase: "no case has that name"
  ]
  private static let unknownCase = "Invalid number of keys found, expected one."

  /// Whether it says no more than that there is no such case: where an action's type was named, that was said.
  static func namesUnknownCase(_ error: any Error) -> Bool {
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
      context.debugDescription == unknownCase
    default: false
    }
  }

  init(_ error: any Error) {
    description =
      switch error {
      case DecodingError.keyNotFound(let key, let context):
        Self.place(context) + "'\(key.stringValue)' is missing"
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        Self.place(context) + (Self.plainer[context.debugDescription] ?? context.debugDescription)
      default: "\(error)"
      }
  }

  private static func place(_ context: DecodingError.Context) -> String {
    guard !context.codingPath.isEmpty else { return "" }
    return "at " + JSONPointer.excerpt(of: context.codingPath.map(\.stringValue).joined(separator: ".")) + ": "
  }
}
