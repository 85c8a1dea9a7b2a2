internal import JSONCoding

/// Conversion of actions to the form stored in the log, and back.
///
/// ```swift
/// let form = try ActionCoding.encode(AnimalsAction.ui(.animalList(.onTapDelete(animalId: "Dog"))))
/// // form.type == "ui.animalList.onTapDelete", form.data == {"animalId":"Dog"}
/// ```
///
/// The type only has to be `Codable`. The mapping is lossless: decoding the stored form returns an equal action, and
/// ``nested(type:data:)`` returns the bytes of Swift's own encoding.
public enum ActionCoding {
  /// The deepest nesting of an action in Swift's encoding: the limit of a line, and two levels for each part of its
  /// type.
  private static let depthLimit = LogFormat.depthLimit + 2 * LogFormat.typePartLimit

  /// Returns the stored form of an action.
  ///
  /// - Throws: The error of the action's own `encode(to:)`, or `JSONError` for a value that JSON cannot represent.
  /// - Complexity: O(size of the action).
  public static func encode(_ action: some Encodable) throws -> ActionForm {
    try StrictJSONEncoder(maximumDepth: depthLimit).withEncoded(action) { bytes, cases in
      ActionNesting.flatten(bytes, along: cases)
    }
  }

  /// Writes the type of an action as a JSON string, followed by its data. This is the fast path for actions without
  /// escapes in their type whose data is within the limits of the format.
  ///
  /// - Parameter output: The destination; unchanged if `nil` is returned.
  /// - Returns: The length of the string with its quotes; `nil` if the caller must use ``encode(_:)`` instead.
  static func append(_ action: some Encodable, to output: inout DirectWriter) -> Int? {
    do {
      // If the object is shallow enough with the cases around it, it is shallow enough without them.
      return try StrictJSONEncoder(maximumDepth: LogFormat.depthLimit - 1).withEncoded(action) { bytes, cases in
        ActionNesting.append(bytes, along: cases, to: &output)
      }
    } catch {
      // The action may be shallow enough without its cases, or its encode(to:) may have replaced the error. In both
      // cases, `encode(_:)` decides.
      return nil
    }
  }

  /// Returns the action of a stored form.
  ///
  /// - Throws: `DecodingError` or `JSONError` if type and data do not describe an `Action`.
  /// - Complexity: O(length).
  public static func decode<Action: Decodable>(
    _ action: Action.Type, type: String, data: [UInt8]
  ) throws -> Action {
    try decode(Action.self, type: type, data: data[...])
  }

  /// Returns the action of a record, without copying its data first.
  ///
  /// - Throws: As ``decode(_:type:data:)``.
  /// - Complexity: O(length).
  public static func decode<Action: Decodable>(_ action: Action.Type, from record: LogRecord) throws -> Action {
    try decode(Action.self, type: record.type, data: record.dataBytes)
  }

  /// Returns the stored form in Swift's own encoding of enums.
  ///
  /// The conversion is purely syntactic: every type and every object has a result, even if no action can be decoded
  /// from it.
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

  /// Returns the action of a stored form, without copying its bytes.
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

/// The stored form of an action: a case path and a JSON object.
public struct ActionForm: Sendable, Hashable {
  /// The names of the nested enum cases, joined with `.`, for example `ui.animalList.onAppear`.
  public let type: String
  /// The values of the innermost case: a JSON object.
  public let data: [UInt8]

  /// Whether the bytes come from this module's encoder.
  let isEncoded: Bool

  /// Creates a form, for example in an upcaster.
  public init(type: String, data: [UInt8]) {
    self.type = type
    self.data = data
    isEncoded = false
  }

  init(encodedType: String, data: [UInt8]) {
    type = encodedType
    self.data = data
    isEncoded = true
  }

  /// Whether two forms have the same type and bytes.
  public static func == (first: ActionForm, second: ActionForm) -> Bool {
    first.type.utf8.elementsEqual(second.type.utf8) && first.data == second.data
  }

  /// Hashes type and bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(data)
  }
}

/// Conversion between the two forms of an action.
///
/// Swift writes an enum as `{"ui":{"_0":{"onTapDelete":{"animalId":"Dog"}}}}`. The log separates the names of the cases
/// from the values: `ui.onTapDelete` and `{"animalId":"Dog"}`.
enum ActionNesting {
  /// The types of actions that are not enums: an object is stored unchanged, any other value within an object.
  static let objectType = "_"
  static let valueType = "_0"

  /// Splits an encoded action into its cases and its values, as far as the rules of the format allow.
  static func flatten(_ bytes: UnsafeBufferPointer<UInt8>, along cases: EncodedCases) -> ActionForm {
    var names: [String] = []
    var sizeBytes = 0
    var content = 0..<bytes.count
    for level in cases {
      let name = level.name
      let grownBytes = sizeBytes + name.utf8.count + (names.isEmpty ? 0 : 1)
      guard names.count < LogFormat.typePartLimit, grownBytes <= LogFormat.typeLimitBytes, let first = name.utf8.first,
        first != ControlType.prefix, !name.utf8.contains(UInt8(ascii: "."))
      else { break }
      names.append(name)
      (sizeBytes, content) = (grownBytes, level.content)
    }
    let type = names.joined(separator: ".")
    if names.isEmpty || !isPath(type) { return undividedForm(bytes) }
    return ActionForm(encodedType: type, data: Array(bytes[content]))
  }

  /// Splits an encoded action as ``flatten(_:along:)`` does, and writes the type as a JSON string followed by the
  /// values.
  ///
  /// - Returns: The length of the string with its quotes. `nil`, with nothing written, if a case has an unusual name or
  ///   the action is an array.
  static func append(
    _ bytes: UnsafeBufferPointer<UInt8>, along cases: EncodedCases, to output: inout DirectWriter
  ) -> Int? {
    let start = output.count
    var content = 0..<bytes.count
    var partCount = 0
    output.literal("\"")
    for level in cases {
      guard let name = level.plainName, let first = name.first, first != ControlType.prefix,
        partCount < LogFormat.typePartLimit, output.count - start + name.count <= LogFormat.typeLimitBytes,
        ByteSearch.first(UInt8(ascii: "."), in: UnsafeRawBufferPointer(name), from: 0) == nil
      else {
        output.truncate(to: start)
        return nil
      }
      if partCount > 0 { output.literal(".") }
      output.append(UnsafeRawBufferPointer(name))
      content = level.content
      partCount += 1
    }
    if partCount == 0 {
      output.truncate(to: start)
      return appendUndivided(bytes, to: &output)
    }
    let isUsual = output.withUnsafeBytes { written in
      isPath(UnsafeRawBufferPointer(rebasing: written[(start + 1)...]))
    }
    guard isUsual else {
      output.truncate(to: start)
      return nil
    }
    output.literal("\"")
    let typeSize = output.count - start
    output.append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[content])))
    return typeSize
  }

  /// Writes an action that is not an enum, in the form of ``undividedForm(_:)``. Refuses an array, which may be too
  /// deep with an object around it.
  private static func appendUndivided(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout DirectWriter) -> Int? {
    switch bytes.first {
    case UInt8(ascii: "["): return nil
    case UInt8(ascii: "{"):
      output.literal(#""_""#)
      output.append(UnsafeRawBufferPointer(bytes))
      return objectType.utf8.count + 2
    default:
      output.literal(#""_0"{"_0":"#)
      output.append(UnsafeRawBufferPointer(bytes))
      output.literal("}")
      return valueType.utf8.count + 2
    }
  }

  private static func undividedForm(_ bytes: UnsafeBufferPointer<UInt8>) -> ActionForm {
    if bytes.first == UInt8(ascii: "{") { return ActionForm(encodedType: objectType, data: Array(bytes)) }
    return ActionForm(encodedType: valueType, data: Array(#"{"_0":"#.utf8) + bytes + [UInt8(ascii: "}")])
  }

  /// Whether a type consists of the names of cases.
  static func isPath(_ type: String) -> Bool {
    type.utf8.count > valueType.utf8.count || (type != objectType && type != valueType)
  }

  /// Whether the bytes of a type consist of the names of cases.
  static func isPath(_ type: UnsafeRawBufferPointer) -> Bool {
    type.count > valueType.utf8.count || !(type.elementsEqual(objectType.utf8) || type.elementsEqual(valueType.utf8))
  }

  /// Joins type and data in Swift's own encoding of enums.
  static func nest(type: String, data: ArraySlice<UInt8>) -> [UInt8] {
    if type == objectType { return Array(data) }
    if type == valueType { return onlyValue(of: data) }
    let parts = type.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(type.utf8.count + parts.count * 10 + data.count)
    for (index, part) in parts.enumerated() {
      bytes.append(contentsOf: (index == 0 ? "{" : #"{"_0":{"#).utf8)
      JSONText.appendString(String(Substring(part)), to: &bytes)
      bytes.append(UInt8(ascii: ":"))
    }
    bytes.append(contentsOf: data)
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "}"), count: 2 * parts.count - 1))
    return bytes
  }

  /// Returns the value of the only member, `_0`; the object itself if it has other members.
  private static func onlyValue(of data: ArraySlice<UInt8>) -> [UInt8] {
    do throws(JSONError) {
      let root = try JSONTape(parsing: data).root
      guard root.count == 1, let value = root[valueType] else { return Array(data) }
      return Array(value.bytes)
    } catch {
      return Array(data)
    }
  }
}
