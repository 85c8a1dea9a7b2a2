package import JSONCoding

/// A coder for the actions of one type. It uses generated code if there is any and ``ActionCoding`` otherwise, with the
/// same results and the same errors.
///
/// The generated code is looked up once, when the coder is created: a cast for every action would cost more than
/// parsing it. The code is called with addresses, so nothing here depends on the metadata of the type.
package struct ActionCoder<Action: Codable>: Sendable {
  let calls: DirectCalls?

  /// Creates a coder.
  package init() {
    guard let type = Action.self as? any DirectAction.Type, DirectShape.isCurrent(type) else {
      self.init(calls: nil)
      return
    }
    self.init(calls: type.directCalls)
  }

  /// A coder that uses only `Codable`.
  package static var codable: ActionCoder { ActionCoder(calls: nil) }

  private init(calls: DirectCalls?) {
    self.calls = calls
  }

  /// Whether there is generated code for the type.
  package var isDirect: Bool { calls != nil }
}

extension ActionCoder {
  /// Returns the stored form of an action.
  ///
  /// - Throws: As ``ActionCoding/encode(_:)``.
  /// - Complexity: O(size of the action).
  package func encode(_ action: Action) throws -> ActionForm {
    guard let calls else { return try ActionCoding.encode(action) }
    var writer = DirectWriter(capacity: 256)
    let typeCount = withUnsafePointer(to: action) { action in calls.write(action, &writer) }
    guard !writer.isDeclined, typeCount <= LogFormat.typeLimitBytes + 2 else { return try ActionCoding.encode(action) }
    return writer.withUnsafeBytes { bytes in
      ActionForm(
        encodedType: String(decoding: bytes[1..<typeCount - 1], as: UTF8.self), data: Array(bytes[typeCount...]))
    }
  }

  /// Writes the type of an action as a JSON string, followed by its data.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - output: The destination; unchanged if an error is thrown.
  /// - Returns: The length of the string with its quotes; and the form of the action if the caller must check it
  ///   against the limits of the format, `nil` if it is known to be within them.
  /// - Throws: As ``ActionCoding/encode(_:)``.
  /// - Complexity: O(size of the action).
  package func append(
    _ action: borrowing Action, to output: inout DirectWriter
  ) throws -> (typeSize: Int, form: ActionForm?) {
    let start = output.count
    if let calls {
      let typeSize = withUnsafePointer(to: action) { action in calls.write(action, &output) }
      if !output.isDeclined, typeSize <= LogFormat.typeLimitBytes + 2 { return (typeSize, nil) }
      output.truncate(to: start)
    }
    if let typeSize = ActionCoding.append(copy action, to: &output) { return (typeSize, nil) }
    let form = try ActionCoding.encode(copy action)
    output.string(form.type)
    let typeSize = output.count - start
    output.append(form.data)
    return (typeSize, form)
  }
}

extension ActionCoder {
  /// Returns the action of a stored form.
  ///
  /// - Parameters:
  ///   - type: The bytes of the type, unescaped and without quotes.
  ///   - data: The bytes of the JSON object.
  /// - Throws: As ``ActionCoding/decode(_:type:data:)``.
  /// - Complexity: O(length).
  package func decode(type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer) throws -> Action {
    let place = UnsafeMutablePointer<Action>.allocate(capacity: 1)
    defer { place.deallocate() }
    try decode(type: type, data: data, into: place)
    return place.move()
  }

  /// Decodes an action into uninitialized memory, for callers that decode many actions.
  ///
  /// - Throws: As ``ActionCoding/decode(_:type:data:)``; the memory is then still uninitialized.
  /// - Complexity: O(length).
  package func decode(
    type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer, into place: UnsafeMutablePointer<Action>
  ) throws {
    if decodeDirectly(type: type, data: data, into: place) { return }
    // Only Codable decides whether it is an action.
    place.initialize(to: try ActionCoding.decode(Action.self, type: type, data: data))
  }

  /// Decodes an action into uninitialized memory if the bytes are exactly as generated code writes them.
  ///
  /// - Returns: Whether the memory is now initialized.
  /// - Complexity: O(length).
  package func decodeDirectly(
    type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer, into place: UnsafeMutablePointer<Action>
  ) -> Bool {
    guard let calls else { return false }
    let size = calls.read(type, data, nil, place)
    if size > 0, size < data.count {
      place.deinitialize(count: 1)
      return false
    }
    return size > 0
  }

  /// Returns the action of a stored form.
  ///
  /// - Throws: As ``ActionCoding/decode(_:type:data:)``.
  /// - Complexity: O(length).
  package func decode(type: String, data: ArraySlice<UInt8>) throws -> Action {
    var type = type
    return try type.withUTF8 { type in
      try data.withUnsafeBytes { data in try decode(type: UnsafeRawBufferPointer(type), data: data) }
    }
  }

  /// Returns the action of a record.
  ///
  /// - Throws: As ``ActionCoding/decode(_:from:)``.
  /// - Complexity: O(length).
  package func decode(_ record: LogRecord) throws -> Action {
    try decode(type: record.type, data: record.dataBytes)
  }
}
