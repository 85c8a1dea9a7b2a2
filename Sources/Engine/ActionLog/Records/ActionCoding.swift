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
  /// The deepest nesting of an action that is put together again: a line's limit, and two levels for each part of its type.
  private static let depthLimit = LogFormat.depthLimit + 2 * LogFormat.typePartLimit

  /// The stored form of an action.
  ///
  /// - Throws: The error of the action's own `encode(to:)`, or `JSONError` for what JSON cannot hold.
  /// - Complexity: O(size of the action).
  public static func encode(_ action: some Encodable) throws -> ActionForm {
    try StrictJSONEncoder(maximumDepth: depthLimit).withEncoded(action) { bytes, cases in
      ActionNesting.flatten(bytes, along: cases)
    }
  }

  /// Writes what a line has of an action, if no name in its type is escaped, and its values keep the limits of the format, which is
  /// nearly always so.
  ///
  /// - Parameter output: Where the type is written, as a string with its quotes, and the values behind it; as it was if nothing is
  ///   returned.
  /// - Returns: How many bytes the type takes, with its quotes; `nil` if the form of the action has to be asked for it.
  /// - Complexity: O(size of the action).
  static func append(_ action: some Encodable, to output: inout DirectWriter) -> Int? {
    do {
      // An object that may lie in a line with the cases around it certainly may without them.
      return try StrictJSONEncoder(maximumDepth: LogFormat.depthLimit - 1).withEncoded(action) { bytes, cases in
        ActionNesting.append(bytes, along: cases, to: &output)
      }
    } catch {
      // Without the cases it may not be too deep, and a type may have made another error of that. If it is one, the form throws it.
      return nil
    }
  }

  /// The action of a stored form.
  ///
  /// - Throws: `DecodingError` or `JSONError`, when type and values are not those of an `Action`.
  /// - Complexity: O(length).
  public static func decode<Action: Decodable>(
    _ action: Action.Type, type: String, data: [UInt8]
  ) throws -> Action {
    try decode(Action.self, type: type, data: data[...])
  }

  /// The action of a record, without copying its values first.
  ///
  /// - Throws: As for a stored form.
  /// - Complexity: O(length).
  public static func decode<Action: Decodable>(_ action: Action.Type, from record: LogRecord) throws -> Action {
    try decode(Action.self, type: record.type, data: record.dataBytes)
  }

  /// The stored form put together again, as Swift's coding of enums has it.
  ///
  /// It is purely syntactic: every type and every object has a result, whether an action can be decoded from it or not.
  ///
  /// - Complexity: O(length).
  public static func nested(type: String, data: [UInt8]) -> [UInt8] {
    ActionNesting.nest(type: type, data: data[...])
  }

  private static func decode<Action: Decodable>(
    _ action: Action.Type, type: String, data: ArraySlice<UInt8>
  ) throws -> Action {
    var type = type
    return try type.withUTF8 { type in
      try data.withUnsafeBytes { data in try decode(Action.self, type: UnsafeRawBufferPointer(type), data: data) }
    }
  }

  /// The action of a stored form, read where its bytes lie.
  ///
  /// - Throws: As for a stored form.
  /// - Complexity: O(length).
  static func decode<Action: Decodable>(
    _ action: Action.Type, type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer
  ) throws -> Action {
    func nested() -> [UInt8] { ActionNesting.nest(type: String(decoding: type, as: UTF8.self), data: Array(data)[...]) }
    let decoder = StrictJSONDecoder(maximumDepth: depthLimit)
    guard ActionNesting.isPath(type) else { return try decoder.decode(Action.self, from: nested()) }
    return try type.withMemoryRebound(to: UInt8.self) { type in
      try data.withMemoryRebound(to: UInt8.self) { data in
        try decoder.decode(Action.self, casePath: type, content: data, nested: nested)
      }
    }
  }
}
