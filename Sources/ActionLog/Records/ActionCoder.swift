package import JSONCoding

/// Turns the actions of one type into what the log stores, and back: by generated code where there is some, else as
/// ``ActionCoding`` does, with the same results and the same errors.
///
/// Whether there is generated code is looked up once, when the coder is made: a cast for every action would cost more than
/// reading it.
package struct ActionCoder<Action: Codable>: Sendable {
  private let direct: DirectActionCalls<Action>?

  /// Makes a coder.
  package init() {
    direct = DirectActionCalls()
  }

  /// Makes a coder that goes by way of `Codable` alone.
  package static var codable: ActionCoder { ActionCoder(direct: nil) }

  private init(direct: DirectActionCalls<Action>?) {
    self.direct = direct
  }

  /// Whether there is generated code that fits the type.
  package var isDirect: Bool { direct != nil }

  /// The stored form of an action.
  ///
  /// - Throws: As ``ActionCoding/encode(_:)``.
  /// - Complexity: O(size of the action).
  package func encode(_ action: Action) throws -> ActionForm {
    guard let direct else { return try ActionCoding.encode(action) }
    var writer = DirectWriter(capacity: 256)
    direct.writeType(action, &writer)
    let typeCount = writer.count
    direct.writeData(action, &writer)
    guard !writer.isDeclined, typeCount <= LogFormat.typeLimitBytes else { return try ActionCoding.encode(action) }
    return writer.withUnsafeBytes { bytes in
      ActionForm(
        encodedType: String(decoding: bytes[..<typeCount], as: UTF8.self), data: Array(bytes[typeCount...]))
    }
  }

  /// Writes the members `type` and `data` of a line: the type's string with its quotes, what lies between, the values.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - output: The line under construction; as it was if an error is thrown.
  ///   - between: Writes what stands between the two values, for instance `,"synced":0,"prev":"00000000","data":`. It may be
  ///     called twice, the first time in vain.
  /// - Returns: `nil` if the action was written directly, so that it keeps the limits of the format. Else its form, written as
  ///   well, which the caller checks as it checks any other.
  /// - Throws: As ``ActionCoding/encode(_:)``.
  /// - Complexity: O(size of the action).
  @discardableResult
  package func append(
    _ action: Action, to output: inout DirectWriter, between: (inout DirectWriter) -> Void
  ) throws -> ActionForm? {
    let start = output.count
    if let direct {
      output.literal("\"")
      direct.writeType(action, &output)
      let typeCount = output.count - start - 1
      output.literal("\"")
      between(&output)
      direct.writeData(action, &output)
      if !output.isDeclined, typeCount <= LogFormat.typeLimitBytes { return nil }
      output.truncate(to: start)
    }
    let form = try ActionCoding.encode(action)
    output.string(form.type)
    between(&output)
    output.append(form.data)
    return form
  }

  /// The action of a stored form.
  ///
  /// - Parameters:
  ///   - type: The type's bytes, unescaped and without quotes.
  ///   - data: The bytes of the object of values.
  /// - Throws: As ``ActionCoding/decode(_:type:data:)``.
  /// - Complexity: O(length).
  package func decode(type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer) throws -> Action {
    if let action = decodeDirectly(type: type, data: data) { return action }
    return try ActionCoding.decode(Action.self, type: String(decoding: type, as: UTF8.self), data: Array(data))
  }

  /// The action of a stored form, if it stands exactly as generated code writes it.
  ///
  /// - Complexity: O(length).
  package func decodeDirectly(type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer) -> Action? {
    direct?.read(type, data)
  }

  /// The action of a stored form.
  ///
  /// - Throws: As ``ActionCoding/decode(_:type:data:)``.
  /// - Complexity: O(length).
  package func decode(type: String, data: ArraySlice<UInt8>) throws -> Action {
    var type = type
    return try type.withUTF8 { type in
      try data.withUnsafeBytes { data in try decode(type: UnsafeRawBufferPointer(type), data: data) }
    }
  }

  /// The action of a record.
  ///
  /// - Throws: As ``ActionCoding/decode(_:from:)``.
  /// - Complexity: O(length).
  package func decode(_ record: LogRecord) throws -> Action {
    try decode(type: record.type, data: record.dataBytes)
  }
}
