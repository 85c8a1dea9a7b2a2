/// A growing buffer into which generated code writes JSON.
///
/// It is a struct over a pointer, without a class or an array: both cost a check at every append, which would be most
/// of the time for a short line (benchmark `encode line, direct`).
@frozen
public struct DirectWriter: ~Copyable {
  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  @usableFromInline var next: UnsafeMutablePointer<UInt8>
  @usableFromInline var end: UnsafeMutablePointer<UInt8>
  /// Whether members of objects are sorted, as in ``JSONForm/canonical``.
  public let isCanonical: Bool
  /// Whether a value was found that only `Codable` can write, so that the output is invalid.
  public private(set) var isDeclined = false
  @usableFromInline var depth = 0

  /// Deeper values are left to `Codable`. The limit bounds the stack used by generated code.
  ///
  /// A counted level is at most two objects or arrays of the text, and 96 of them are within every limit of `Codable`'s
  /// tier and of the log format.
  @usableFromInline static let depthLimit = 48

  /// Creates an empty writer.
  public init(form: JSONForm = .declared, capacity: Int = 1024) {
    let size = max(64, capacity)
    start = .allocate(capacity: size)
    next = start
    end = start + size
    isCanonical = form == .canonical
  }

  deinit {
    start.deallocate()
  }
}

// The memory belongs to the writer, and its addresses do not leave a call. A writer cannot be copied, so it has one
// owner, and sending it transfers ownership.
extension DirectWriter: @unchecked Sendable {}

extension DirectWriter {
  /// The number of bytes written.
  @inlinable public var count: Int { next - start }

  /// Calls a closure with the output.
  @inlinable
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// A copy of the output.
  public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

  /// Discards the output after an offset, and a refusal with it.
  ///
  /// - Parameter count: At most ``count``.
  public mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count, "there are not so many bytes")
    next = start + count
    depth = 0
    isDeclined = false
  }

  /// Discards the output after an offset, within a value.
  mutating func cut(to count: Int) {
    next = start + count
  }

  /// Leaves the value to `Codable`.
  public mutating func decline() {
    isDeclined = true
  }

  /// Begins an object or an array.
  ///
  /// - Returns: Whether the depth is allowed; if not, the value is declined.
  @inlinable
  public mutating func enter() -> Bool {
    depth &+= 1
    if depth <= DirectWriter.depthLimit { return true }
    decline()
    return false
  }

  /// Ends an object or an array.
  @inlinable
  public mutating func leave() {
    depth &-= 1
  }

  @inlinable @inline(__always)
  mutating func reserve(_ count: Int) {
    if end - next < count { grow(count) }
  }

  @usableFromInline @inline(never)
  mutating func grow(_ count: Int) {
    let used = self.count
    let size = max((end - start) * 2, used + count)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    larger.update(from: start, count: used)
    start.deallocate()
    start = larger
    next = larger + used
    end = larger + size
  }
}

extension DirectWriter {
  /// Appends text unchanged.
  @inlinable @inline(__always)
  public mutating func literal(_ text: StaticString) {
    let count = text.utf8CodeUnitCount
    reserve(count)
    next.update(from: text.utf8Start, count: count)
    next += count
  }

  /// Appends a comma, unless it would be first in an object.
  @inlinable
  public mutating func separator() {
    // No value ends with this bracket, so it opens the object.
    if next[-1] != UInt8(ascii: "{") { literal(",") }
  }

  /// Appends bytes unchanged.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    UnsafeMutableRawPointer(next).copyMemory(from: source, byteCount: bytes.count)
    next += bytes.count
  }

  /// Appends bytes unchanged.
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends a value.
  @inlinable
  public mutating func value<Value: DirectCodable>(_ value: Value) {
    value.write(directly: &self)
  }

  /// Appends a value whose type had no optional when its code was generated.
  @inlinable
  public mutating func required<Value: DirectCodable>(_ value: Value) {
    value.write(directly: &self)
  }

  /// Declines a value that has become optional since its code was generated: a member that is `nil` must be omitted.
  @inlinable
  public mutating func required<Value: DirectCodable>(_ value: Value?) {
    decline()
  }

  /// Appends a value whose type has gained a conformance since the code that calls this was generated.
  @inlinable
  public mutating func other<Value: DirectCodable>(_ value: Value) {
    value.write(directly: &self)
  }

  /// Appends a value that encodes itself with `Codable`.
  public mutating func other(_ value: some Encodable) {
    guard !isDeclined else { return }
    let encoder = StrictJSONEncoder(
      form: isCanonical ? .canonical : .declared, maximumDepth: DirectWriter.depthLimit - depth)
    do {
      append(try encoder.encode(value))
    } catch {
      // Only `Codable` decides whether this is an error of the complete value.
      decline()
    }
  }
}

/// Operations on eight bytes at once.
@usableFromInline
enum DirectBytes {
  /// Marks bytes that a string cannot contain unescaped: less than 0x20, a quote, a backslash.
  ///
  /// - Returns: Zero if there is none. Otherwise the high bit is set in the first such byte, and possibly in bytes
  ///   after it: a borrow can mark too many, but only after a byte that is marked correctly.
  @inlinable @inline(__always)
  static func special(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let low = (word &- ones &* 0x20) & ~word
    return (low | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs
  }

  /// Marks bytes that a string cannot contain unescaped, and bytes that are not ASCII, in fewer steps.
  @inlinable @inline(__always)
  static func unusual(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    return ((word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones) | word) & highs
  }

  @inlinable @inline(__always)
  static var highs: UInt64 { 0x8080_8080_8080_8080 }
}
