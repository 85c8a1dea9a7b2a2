internal import JSONCoding

extension ActionCoding {
  /// The deepest nesting of an action that is put together again: a line's limit, and two levels for each part of its type.
  static let depthLimit = LogFormat.depthLimit + 2 * LogFormat.typePartLimit

  /// The stored form of an action.
  ///
  /// - Throws: The error of the action's own `encode(to:)`, or `JSONError` for what JSON cannot hold.
  /// - Complexity: O(size of the action).
  public static func encode(_ action: some Encodable) throws -> ActionForm {
    let (bytes, casePath) = try StrictJSONEncoder(maximumDepth: depthLimit).encodeWithCasePath(action)
    let steps = casePath.lazy.map { step in ActionNesting.Step(key: step.key, content: step.content) }
    return ActionNesting.flatten(bytes, along: steps)
  }

  /// The action of a stored form.
  ///
  /// - Throws: `DecodingError` or `JSONError`, when type and values are not those of an `Action`.
  /// - Complexity: O(length).
  public static func decode<Action: Decodable>(
    _ action: Action.Type, type: String, data: [UInt8]
  ) throws -> Action {
    try StrictJSONDecoder(maximumDepth: depthLimit).decode(Action.self, from: nested(type: type, data: data))
  }
}
