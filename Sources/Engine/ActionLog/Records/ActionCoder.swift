package import JSONCoding

/// Turns the actions of one type into what the log stores, and back: by generated code where there is some, else as
/// ``ActionCoding`` does, with the same results and the same errors.
///
/// Whether there is generated code is looked up once, when the coder is made: a cast for every action would cost more than
/// reading it. The code is called with addresses, so that nothing here depends on the type's metadata.
package struct ActionCoder<Action: Codable>: Sendable {
  let calls: DirectCalls?

  /// Makes a coder.
  package init() {
    guard let type = Action.self as? any DirectAction.Type, DirectShape.isCurrent(type) else {
      self.init(calls: nil)
      return
    }
    self.init(calls: type.directCalls)
  }

  /// Makes a coder that goes by way of `Codable` alone.
  package static var codable: ActionCoder { ActionCoder(calls: nil) }

  private init(calls: DirectCalls?) {
    self.calls = calls
  }

  /// Whether there is generated code that fits the type.
  package var isDirect: Bool { calls != nil }
}

extension ActionCoder {
  /// The stored form of an action.
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

  /// Writes what a line has of an action: its type as a string, and its values behind it.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - output: Where it is written; as it was if an error is thrown.
  /// - Returns: How many bytes the string takes, with its quotes; and `nil` if the action was written in a way that keeps the
  ///   limits of the format, else its form, which the caller checks as it checks any other.
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
  /// The action of a stored form.
  ///
  /// - Parameters:
  ///   - type: The type's bytes, unescaped and without quotes.
  ///   - data: The bytes of the object of values.
  /// - Throws: As ``ActionCoding/decode(_:type:data:)``.
  /// - Complexity: O(length).
  package func decode(type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer) throws -> Action {
    let place = UnsafeMutablePointer<Action>.allocate(capacity: 1)
    defer { place.deallocate() }
    try decode(type: type, data: data, into: place)
    return place.move()
  }

  /// The action of a stored form, into memory that holds none yet: the way for those who decode many.
  ///
  /// - Throws: As ``ActionCoding/decode(_:type:data:)``; the memory holds none then.
  /// - Complexity: O(length).
  package func decode(
    type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer, into place: UnsafeMutablePointer<Action>
  ) throws {
    if decodeDirectly(type: type, data: data, into: place) { return }
    // Whether it is an action is for Codable to say.
    place.initialize(to: try ActionCoding.decode(Action.self, type: type, data: data))
  }

  /// The action of a stored form, if it stands exactly as generated code writes it, into memory that holds none yet.
  ///
  /// - Returns: Whether the memory holds an action now.
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
