internal import JSONCoding

/// Turns actions into what the log stores, and back.
///
/// ```swift
/// let form = try ActionCoding.encode(AnimalsAction.ui(.animalList(.onTapDelete(animalId: "Dog"))))
/// // form.type == "ui.animalList.onTapDelete", form.data == {"animalId":"Dog"}
/// ```
///
/// The mapping needs nothing of the type but `Codable`, and loses nothing: decoding what was encoded gives an equal action,
/// and the bytes of the nested form are those that the action has without the log.
public enum ActionCoding {
  /// Deep enough for the deepest `data`, and for the most cases around it, each of which is two levels.
  private static let depthLimit = LogFormat.depthLimit + 2 * LogFormat.typePartLimit

  /// Encodes an action.
  ///
  /// - Returns: The names of the enum cases that it is nested in, and the values of the innermost one.
  /// - Throws: ``LogError`` with code `invalidRecord`, and what the type's own coding threw as its cause.
  /// - Complexity: O(size).
  public static func encode<Action: Encodable>(_ action: Action) throws(LogError) -> ActionForm {
    do {
      let encoder = StrictJSONEncoder(maximumDepth: depthLimit)
      let (bytes, path) = try encoder.encodeWithCasePath(action)
      return ActionNesting.flatten(
        bytes, along: path.lazy.map { step in ActionNesting.Step(key: step.key, content: step.content) })
    } catch {
      throw LogError(.invalidRecord, "an action cannot be encoded (\(error))", underlying: error)
    }
  }

  /// Decodes an action from its stored form.
  ///
  /// - Throws: ``LogError`` with code `invalidRecord`, and the decoding error as its cause.
  /// - Complexity: O(size).
  public static func decode<Action: Decodable>(
    _: Action.Type, type: String, data: [UInt8]
  ) throws(LogError) -> Action {
    try decode(Action.self, type: type, nested: nested(type: type, data: data))
  }

  /// Decodes the action of a record.
  ///
  /// - Throws: ``LogError`` with code `invalidRecord`, the record's place, and the decoding error as its cause.
  /// - Complexity: O(size).
  public static func decode<Action: Decodable>(_: Action.Type, from record: LogRecord) throws(LogError) -> Action {
    do throws(LogError) {
      return try decode(Action.self, type: record.type, nested: nested(record))
    } catch {
      var error = error
      error.path = record.place.path
      error.line = record.place.line
      error.byteOffset = record.place.byteOffset
      error.seq = record.seq
      throw error
    }
  }

  /// The stored form put together again, as Swift's coding of enums has it.
  ///
  /// It is purely syntactic: every type and every object has a result, whether an action can be decoded from it or not.
  ///
  /// - Complexity: O(length).
  public static func nested(type: String, data: [UInt8]) -> [UInt8] {
    ActionNesting.nest(type: type, data: data[...])
  }

  /// The stored form of a record put together again.
  ///
  /// - Complexity: O(length).
  public static func nested(_ record: LogRecord) -> [UInt8] {
    ActionNesting.nest(type: record.type, data: record.dataBytes)
  }

  private static func decode<Action: Decodable>(
    _: Action.Type, type: String, nested bytes: [UInt8]
  ) throws(LogError) -> Action {
    do {
      return try StrictJSONDecoder(maximumDepth: depthLimit).decode(Action.self, from: bytes)
    } catch {
      throw LogError(.invalidRecord, "the action '\(type)' cannot be decoded (\(error))", underlying: error)
    }
  }
}
