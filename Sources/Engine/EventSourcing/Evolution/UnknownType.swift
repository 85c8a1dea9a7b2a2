import ActionLog

/// Whether an action failed to decode because the model has no such case, and not because of its values.
enum UnknownType {
  /// Looks at what decoding the action of a type said.
  ///
  /// A type is a way of cases: `ui.list.onTap` is decoded from `{"ui":{"_0":{"list":{"_0":{"onTap":{…}}}}}}`. Of an enum
  /// that lacks a case, decoding fails at the enum, above the values; what is wrong with values is told from within them.
  static func isMissing(_ type: String, _ error: any Error) -> Bool {
    guard let context = context(of: error) else { return false }
    let parts = type.split(separator: ".", omittingEmptySubsequences: false)
    // An action that is no enum has no type of its own.
    guard type != "_", type != "_0", !parts.isEmpty else { return false }
    let way = parts.dropLast().flatMap { part in [String(part), "_0"] }
    let path = context.codingPath.map(\.stringValue)
    // An enum whose inner enum became something else is told one level further in.
    return path.count <= way.count && way.starts(with: path)
  }

  private static func context(of error: any Error) -> DecodingError.Context? {
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context),
      DecodingError.valueNotFound(_, let context), DecodingError.keyNotFound(_, let context):
      context
    default: nil
    }
  }
}
