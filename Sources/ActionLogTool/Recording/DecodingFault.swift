/// Why a value does not decode, in one sentence: where, and what was found there.
struct DecodingFault: CustomStringConvertible {
  let description: String

  init(_ error: any Error) {
    description =
      switch error {
      case DecodingError.keyNotFound(let key, let context):
        Self.place(context) + "'\(key.stringValue)' is missing"
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        Self.place(context) + context.debugDescription
      default: "\(error)"
      }
  }

  private static func place(_ context: DecodingError.Context) -> String {
    context.codingPath.isEmpty ? "" : "at " + context.codingPath.map(\.stringValue).joined(separator: ".") + ": "
  }
}
