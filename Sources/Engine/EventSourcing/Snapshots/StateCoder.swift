public import JSONCoding
public import TreeCollections

/// Turns the states of one type into canonical bytes, and back: by generated code where there is some, else by way of
/// `Codable`, with the same results and the same errors.
package struct StateCoder<State: Codable & Sendable>: Sendable {
  private let direct: DirectStateCalls<State>?

  /// Makes a coder, and looks generated code up.
  package init() {
    direct = DirectStateCalls()
  }

  /// Makes a coder that goes by way of `Codable` alone.
  package static var codable: StateCoder { StateCoder(direct: nil) }

  private init(direct: DirectStateCalls<State>?) {
    self.direct = direct
  }

  /// Whether there is generated code that fits the type.
  package var isDirect: Bool { direct != nil }

  /// The canonical encoding of a state.
  ///
  /// - Throws: ``EventSourcingError/Code/unencodableState``.
  /// - Complexity: O(size of the state), and O(*m* log *m*) for each object of *m* members.
  package func canonicalBytes(of state: State) throws(EventSourcingError) -> [UInt8] {
    if let bytes = direct?.canonicalBytes(state) { return bytes }
    return try EventSourcing.canonicalBytes(of: state)
  }

  /// The state of canonical bytes.
  ///
  /// - Parameter maximumDepth: How many objects and arrays may lie within each other; at least 64.
  /// - Throws: As `StrictJSONDecoder`.
  /// - Complexity: O(size of the state).
  package func decode(
    from bytes: ArraySlice<UInt8>, maximumDepth: Int = JSONTape.defaultMaximumDepth
  ) throws -> State {
    if let state = decodeDirectly(from: bytes) { return state }
    return try StrictJSONDecoder(maximumDepth: maximumDepth).decode(State.self, from: bytes)
  }

  /// The state of canonical bytes, if they stand exactly as generated code writes them.
  ///
  /// - Complexity: O(size of the state).
  package func decodeDirectly(from bytes: ArraySlice<UInt8>) -> State? {
    guard let direct else { return nil }
    return bytes.withUnsafeBytes { bytes in direct.read(bytes) }
  }
}

/// The generated code of a state type, as closures: calling one costs a few instructions, finding it a search.
private struct DirectStateCalls<State: Sendable>: Sendable {
  let canonicalBytes: @Sendable (State) -> [UInt8]?
  let read: @Sendable (UnsafeRawBufferPointer) -> State?

  /// Looks generated code up; `nil` if there is none, or it was made for another shape of the type.
  init?() {
    guard let type = State.self as? any DirectCodable.Type, DirectShape.isCurrent(type) else { return nil }
    self.init(type)
  }

  private init<Known: DirectCodable>(_ known: Known.Type) {
    precondition(Known.self == State.self, "a type was looked up as another one")
    canonicalBytes = { state in
      var writer = DirectWriter(form: .canonical, capacity: 4096)
      // The two names are of one type, as was checked above.
      unsafeBitCast(state, to: Known.self).write(directly: &writer)
      return writer.isDeclined ? nil : writer.bytes
    }
    read = { bytes in
      let state = DirectReader.read(bytes, form: .canonical, strings: DirectStrings()) {
        reader throws(DirectMismatch) -> Known in
        try reader.value()
      }
      guard let state else { return nil }
      return unsafeBitCast(state, to: State.self)
    }
  }
}

// Here both modules meet that know nothing of each other.

extension TreeDictionary: DirectCodable where Key: DirectCodable, Value: DirectCodable {
  /// Writes the elements as a `Dictionary` of them is written.
  @inlinable
  public func write(directly writer: inout DirectWriter) {
    writer.members(of: self)
  }

  /// Reads what a `Dictionary` reads.
  @inlinable
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    var builder = Builder()
    try reader.members { (key: Key, value) in
      builder.append(key, value)
      return true
    }
    // Of two equal keys, the tolerant decoder has to say which one counts.
    guard let built = builder.finish() else { throw DirectMismatch() }
    self = built
  }

  /// The types of keys and values.
  public static var directShape: DirectShape { [Key: Value].directShape }
}
