import ActionLog
public import JSONCoding
import Platform
public import TreeCollections

/// A coder between the states of a type and canonical bytes. It uses generated code if there is some, otherwise `Codable`, with the
/// same results and errors.
package struct StateCoder<State: Codable & Sendable>: Sendable {
  private let direct: DirectStateCalls<State>?

  package init() {
    direct = DirectStateCalls()
  }

  /// Makes a coder that uses only `Codable`.
  package static var codable: StateCoder { StateCoder(direct: nil) }

  private init(direct: DirectStateCalls<State>?) {
    self.direct = direct
  }

  package var isDirect: Bool { direct != nil }

  package func canonicalBytes(of state: State) throws(EventSourcingError) -> [UInt8] {
    if let bytes = direct?.canonicalBytes(state) { return bytes }
    return try EventSourcing.canonicalBytes(of: state)
  }

  package func decode(
    from bytes: ArraySlice<UInt8>, maximumDepth: Int = JSONTape.defaultMaximumDepth
  ) throws -> State {
    if let state = decodeDirectly(from: bytes) { return state }
    return try StrictJSONDecoder(maximumDepth: maximumDepth).decode(State.self, from: bytes)
  }

  /// Decodes a state from canonical bytes with generated code; `nil` if the bytes do not have exactly the generated form.
  package func decodeDirectly(from bytes: ArraySlice<UInt8>) -> State? {
    guard let direct else { return nil }
    return bytes.withUnsafeBytes { bytes in direct.read(bytes) }
  }
}

extension StateCoder where State: Equatable {
  package func check(_ bytes: [UInt8], of state: State) throws(EventSourcingError) {
    var failure: (any Error)?
    do {
      let decoded = try decode(from: bytes[...])
      // A state that holds `Double.nan` is not equal to itself.
      if decoded == state || (state != state && areSame(decoded, state)) { return }
    } catch {
      failure = error
    }
    throw EventSourcingError(
      .unencodableState,
      failure == nil ? "the state decodes to another state" : "the state does not decode again",
      advice: "Correct the Codable conformance of its values, so that each decodes to an equal one.",
      underlying: failure)
  }
}

/// The generated code of a state type as closures, because looking it up takes longer than calling it.
private struct DirectStateCalls<State: Sendable>: Sendable {
  let canonicalBytes: @Sendable (State) -> [UInt8]?
  let read: @Sendable (UnsafeRawBufferPointer) -> State?

  /// Looks up generated code; `nil` if there is none, or if it was generated for another shape of the type.
  init?() {
    guard let type = State.self as? any DirectCodable.Type, DirectShape.isCurrent(type) else { return nil }
    self.init(type)
  }

  private init<Known: DirectCodable>(_ known: Known.Type) {
    precondition(Known.self == State.self, "a type was looked up as another one")
    canonicalBytes = { state in
      var writer = DirectWriter(form: .canonical, capacity: 4096)
      // Safe: the precondition checks that the two types are the same.
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

// The conformance is here because this is the lowest module that imports both JSONCoding and TreeCollections.

extension TreeDictionary: DirectCodable where Key: DirectCodable, Value: DirectCodable {
  /// Writes the elements in the form of a `Dictionary`.
  @inlinable
  public func write(directly writer: inout DirectWriter) {
    writer.members(of: self)
  }

  /// Reads the form of a `Dictionary`.
  @inlinable
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    var builder = Builder()
    try reader.members { (key: Key, value) in
      builder.append(key, value)
      return true
    }
    // Of two equal keys, the tolerant decoder decides which one counts.
    guard let built = builder.finish() else { throw DirectMismatch() }
    self = built
  }

  /// The shape of the types of keys and values.
  public static var directShape: DirectShape { [Key: Value].directShape }
}

/// The SHA-256 of a state's canonical bytes. Two processes compare digests to check that they have the same state.
public struct StateDigest: Equatable, Sendable {
  /// SHA-256 over the canonical encoding: 64 lower-case hexadecimal digits.
  public var hexadecimal: String

  package init(hexadecimal: String) {
    self.hexadecimal = hexadecimal
  }

  package init(canonicalBytes: [UInt8]) {
    self.hexadecimal = SHA256.hexadecimal(canonicalBytes)
  }

  package init(of state: some Encodable) throws(EventSourcingError) {
    self.init(canonicalBytes: try canonicalBytes(of: state))
  }
}

package func canonicalBytes(of state: some Encodable) throws(EventSourcingError) -> [UInt8] {
  do {
    return try StrictJSONEncoder(form: .canonical).encode(state)
  } catch {
    throw EventSourcingError(
      .unencodableState,
      "the state cannot be encoded",
      advice: "Every value of a state must be Codable and not nested deeper than 128 levels.",
      underlying: error
    )
  }
}

/// Whether two states are the same: equal, or with the same canonical encoding.
///
/// A state that holds `Double.nan` is not `==` to the state that was read from its own snapshot.
///
/// - Returns: `false` also if the states are not `==` and one of them cannot be encoded.
package func areSame<State: Codable & Equatable & Sendable>(_ first: State, _ second: State) -> Bool {
  if first == second { return true }
  let coder = StateCoder<State>()
  do throws(EventSourcingError) {
    return try coder.canonicalBytes(of: first) == coder.canonicalBytes(of: second)
  } catch {
    return false
  }
}
