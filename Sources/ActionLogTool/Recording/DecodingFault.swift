/// Why a value does not decode, in one sentence: where, and what was found there.
struct DecodingFault: CustomStringConvertible {
  let description: String

  /// What the decoding that the compiler writes says to programmers, said to whoever wrote the value. A text that is not
  /// here is passed on.
  private static let plainer = [
    "Invalid number of keys found, expected one.": "the value names no case that exists here, or more than one"
  ]

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
    context.codingPath.isEmpty ? "" : "at " + context.codingPath.map(\.stringValue).joined(separator: ".") + ": "
  }
}
