/// A position in bytes that generated code reads exactly as it writes them.
///
/// It is optimistic: any other form (white space, another order of members, another escape) is a ``DirectMismatch``,
/// valid or not, and the caller starts again with ``StrictJSONDecoder``. Accepted bytes have the same result as with
/// that decoder, and no bytes make it trap (benchmark `decode line, direct`).
@frozen
public struct DirectReader {
  @usableFromInline var next: UnsafePointer<UInt8>
  @usableFromInline let end: UnsafePointer<UInt8>
  /// Whether members of objects are expected in order, as in ``JSONForm/canonical``.
  public let isCanonical: Bool
  @usableFromInline var depth = 0
  /// Strings to reuse; `nil` if few are read.
  @usableFromInline let slots: UnsafeMutablePointer<DirectStrings.Slot>?
  /// The end of the readable memory: at the end of the bytes or after it.
  @usableFromInline let memoryEnd: UnsafePointer<UInt8>

  /// Reads bytes that are valid during the call.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - form: The order of members.
  ///   - strings: Strings to reuse.
  ///   - body: Reads a value.
  /// - Returns: The result of the closure; `nil` if it throws a mismatch or does not read all bytes.
  @inlinable
  public static func read<Value>(
    _ bytes: UnsafeRawBufferPointer, form: JSONForm = .declared, strings: DirectStrings? = nil,
    _ body: (inout DirectReader) throws(DirectMismatch) -> Value
  ) -> Value? {
    guard var reader = DirectReader(bytes, form: form, strings: strings) else { return nil }
    return withExtendedLifetime(strings) {
      do {
        let value = try body(&reader)
        return reader.isAtEnd ? value : nil
      } catch {
        return nil
      }
    }
  }

  /// Creates a reader of bytes and strings that outlive it; `nil` if there are no bytes.
  ///
  /// - Parameter slack: The number of readable bytes after the others, so that words can be read up to the end.
  @inlinable
  init?(_ bytes: UnsafeRawBufferPointer, form: JSONForm, strings: DirectStrings?, slack: Int = 0) {
    guard let start = bytes.baseAddress else { return nil }
    next = start.assumingMemoryBound(to: UInt8.self)
    end = next + bytes.count
    isCanonical = form == .canonical
    slots = strings?.slots
    memoryEnd = end + slack
  }
}

extension DirectReader {
  /// Whether everything was read.
  @inlinable public var isAtEnd: Bool { next == end }

  @inlinable
  func count(from bytes: UnsafeRawBufferPointer) -> Int { bytes.count - left }

  @inlinable
  var left: Int { end - next }

  /// Begins an object or an array.
  @inlinable
  public mutating func enter() throws(DirectMismatch) {
    depth &+= 1
    guard depth <= DirectWriter.depthLimit else { throw DirectMismatch() }
  }

  /// Ends an object or an array.
  @inlinable
  public mutating func leave() {
    depth &-= 1
  }

  /// Reads text that must be next.
  @inlinable @inline(__always)
  public mutating func literal(_ text: StaticString) throws(DirectMismatch) {
    guard accept(text) else { throw DirectMismatch() }
  }

  /// Reads text if it is next.
  @inlinable @inline(__always)
  public mutating func accept(_ text: StaticString) -> Bool {
    guard isNext(text) else { return false }
    next += text.utf8CodeUnitCount
    return true
  }

  /// Reads text if it is next and nothing follows it.
  @inlinable @inline(__always)
  public mutating func acceptLast(_ text: StaticString) -> Bool {
    guard left == text.utf8CodeUnitCount else { return false }
    return accept(text)
  }

  /// Whether text is next. The loops are over constants, so the compiler emits comparisons of words.
  @inlinable @inline(__always)
  func isNext(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard left >= count else { return false }
    let found = UnsafeRawPointer(next)
    let expected = UnsafeRawPointer(text.utf8Start)
    if count < 4 {
      for index in 0..<count where next[index] != text.utf8Start[index] { return false }
      return true
    }
    if count < 8 {
      let tail = count &- 4
      return found.loadUnaligned(as: UInt32.self) == expected.loadUnaligned(as: UInt32.self)
        && found.loadUnaligned(fromByteOffset: tail, as: UInt32.self)
          == expected.loadUnaligned(fromByteOffset: tail, as: UInt32.self)
    }
    var index = 0
    while index &+ 8 <= count {
      guard
        found.loadUnaligned(fromByteOffset: index, as: UInt64.self)
          == expected.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      else { return false }
      index &+= 8
    }
    let tail = count &- 8
    return found.loadUnaligned(fromByteOffset: tail, as: UInt64.self)
      == expected.loadUnaligned(fromByteOffset: tail, as: UInt64.self)
  }

  /// Reads a member's name with quotes and colon if it is next, after a comma unless the member is the object's first.
  @inlinable @inline(__always)
  public mutating func acceptMember(_ name: StaticString, first: inout Bool) -> Bool {
    let place = next
    if !first {
      guard accept(",") else { return false }
    }
    guard accept(name) else {
      next = place
      return false
    }
    first = false
    return true
  }

  /// Reads a member's name that must be next, as ``acceptMember(_:first:)`` does.
  @inlinable @inline(__always)
  public mutating func member(_ name: StaticString, first: inout Bool) throws(DirectMismatch) {
    guard acceptMember(name, first: &first) else { throw DirectMismatch() }
  }

  /// Reads a value.
  @inlinable
  public mutating func value<Value: DirectCodable>() throws(DirectMismatch) -> Value {
    try Value(directly: &self)
  }

  /// Reads a value that is not used: a constant, which is encoded and not decoded.
  @inlinable
  public mutating func skip<Value: DirectCodable>(like value: Value) throws(DirectMismatch) {
    _ = try Value(directly: &self)
  }

  /// Reads a value whose type has gained a conformance since the code that calls this was generated.
  @inlinable
  public mutating func other<Value: DirectCodable>() throws(DirectMismatch) -> Value {
    try Value(directly: &self)
  }

  /// Reads a value that decodes itself with `Codable`.
  ///
  /// The attribute is needed because the compiler does not rank calls without arguments by the constraints of their
  /// results.
  @_disfavoredOverload
  public mutating func other<Value: Decodable>() throws(DirectMismatch) -> Value {
    let rest = UnsafeBufferPointer(start: next, count: left)
    do {
      let end = try JSONTape.checkValue(rest, maximumDepth: DirectWriter.depthLimit - depth).end
      let bytes = Array(UnsafeBufferPointer(rebasing: rest[..<end]))
      next += end
      return try StrictJSONDecoder(maximumDepth: DirectWriter.depthLimit - depth).decode(Value.self, from: bytes)
    } catch {
      // Only `Codable` decides whether this is an error of the complete value.
      throw DirectMismatch()
    }
  }
}
