package import JSONCoding

/// A coder for the actions of one type. It uses generated code if there is any and ``ActionCoding`` otherwise, with the
/// same results and the same errors.
///
/// The generated code is looked up once, when the coder is created: a cast for every action would cost more than
/// parsing it. The code is called with addresses, so nothing here depends on the metadata of the type.
package struct ActionCoder<Action: Codable>: Sendable {
  let calls: DirectCalls?

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
  /// - Parameter output: The destination; unchanged if an error is thrown.
  /// - Returns: The length of the string with its quotes; and the form of the action if the caller must check it
  ///   against the limits of the format, `nil` if it is known to be within them.
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

extension ActionCoder where Action: Equatable {
  /// Checks that the stored form of an action decodes to the action.
  ///
  /// An action that is not equal to itself, because it holds a `Double.nan`, must have the same form after decoding.
  package func check(
    _ action: Action, type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer
  ) throws(RoundTripFault) {
    let name = String(decoding: type, as: UTF8.self)
    let decoded: Action
    do {
      decoded = try decode(type: type, data: data)
      if decoded == action { return }
      if action != action, try encode(decoded) == ActionForm(type: name, data: Array(data)) { return }
    } catch {
      throw RoundTripFault(type: name, description: "\(error)", isDecoded: false)
    }
    throw RoundTripFault(type: name, action, readAs: decoded)
  }
}

/// An action whose stored form does not decode to it.
package struct RoundTripFault: Error, CustomStringConvertible {
  package let type: String
  /// The action and what came back, or the error of decoding.
  package let description: String
  /// Whether another action came back.
  package let isDecoded: Bool

  /// The number of characters of an action to show.
  private static let excerptLength = 80

  init(type: String, description: String, isDecoded: Bool) {
    (self.type, self.description, self.isDecoded) = (type, description, isDecoded)
  }

  init<Action>(type: String, _ action: Action, readAs decoded: Action) {
    let (first, second) = ("\(action)", "\(decoded)")
    let start = max(0, zip(first, second).prefix { pair in pair.0 == pair.1 }.count - Self.excerptLength / 2)
    func excerpt(_ text: String) -> String {
      let part = text.dropFirst(start)
      return (start > 0 ? "…" : "") + part.prefix(Self.excerptLength) + (part.count > Self.excerptLength ? "…" : "")
    }
    self.init(type: type, description: "\(excerpt(first)) is read back as \(excerpt(second))", isDecoded: true)
  }
}

/// Selects the actions that a recorder checks: all of them in a debug build, otherwise the first of each type and every 1,024th.
///
/// A check takes about as long as encoding and decoding an action.
package struct RoundTripSample: Sendable {
  #if !DEBUG
  /// The checksums of the types seen so far. Two types with the same checksum share a check.
  private var types: Set<UInt32> = []
  private var lastType: UInt32?
  private var count = 0

  /// The number of types whose first action is checked. Enumerations have fewer cases.
  private static let typeLimit = 4_096
  #endif
  /// The number of actions of which one is checked in a release build.
  package static let interval = 1_024

  package init() {}

  /// Counts an action.
  ///
  /// - Returns: Whether it must be checked.
  package mutating func includes(_ type: UnsafeRawBufferPointer) -> Bool {
    #if DEBUG
    return true
    #else
    count &+= 1
    let checksum = CRC32C.checksum(of: type)
    if checksum != lastType {
      lastType = checksum
      if types.count < Self.typeLimit, types.insert(checksum).inserted { return true }
    }
    return count & (Self.interval - 1) == 0
    #endif
  }
}

extension ActionCoder {
  /// Returns the action of a stored form.
  package func decode(type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer) throws -> Action {
    let place = UnsafeMutablePointer<Action>.allocate(capacity: 1)
    defer { place.deallocate() }
    try decode(type: type, data: data, into: place)
    return place.move()
  }

  /// Decodes an action into uninitialized memory, for callers that decode many actions.
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

  package func decode(type: String, data: ArraySlice<UInt8>) throws -> Action {
    var type = type
    return try type.withUTF8 { type in
      try data.withUnsafeBytes { data in try decode(type: UnsafeRawBufferPointer(type), data: data) }
    }
  }

  package func decode(_ record: LogRecord) throws -> Action {
    try decode(type: record.type, data: record.dataBytes)
  }
}
