extension DirectReader {
  /// Reads a string.
  public mutating func string() throws(DirectMismatch) -> String {
    guard next < end, next.pointee == UInt8(ascii: "\"") else { throw DirectMismatch() }
    let start = next + 1
    if let slots, memoryEnd - start >= 16 { return try string(start, slots) }
    var isPlain = false
    return try newString(start, from: start, &isPlain)
  }

  /// Reads a string after its quote if 16 bytes can be read, and finds it among recently read strings.
  ///
  /// Only its first bytes are searched for its end; the others are compared.
  @inline(__always)
  private mutating func string(
    _ start: UnsafePointer<UInt8>, _ slots: UnsafeMutablePointer<DirectStrings.Slot>
  ) throws(DirectMismatch) -> String {
    let bytes = UnsafeRawPointer(start)
    let first = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    let marks = DirectBytes.unusual(first)
    if marks != 0 {
      let size = UInt64(truncatingIfNeeded: marks.trailingZeroBitCount & ~7)
      return try shortString(start, Int(truncatingIfNeeded: size &>> 3), (first & ((1 &<< size) &- 1), 0), slots)
    }
    let second = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let secondMarks = DirectBytes.unusual(second)
    if secondMarks != 0 {
      let size = UInt64(truncatingIfNeeded: secondMarks.trailingZeroBitCount & ~7)
      return try shortString(
        start, 8 &+ Int(truncatingIfNeeded: size &>> 3), (first, second & ((1 &<< size) &- 1)), slots)
    }
    let key = (first, second)
    let slot = DirectStrings.slot(key, slots)
    if slot.pointee.key == key, slot.pointee.stands(at: start, end - start) {
      next = start + (slot.pointee.count &+ 1)
      return slot.pointee.string
    }
    var isPlain = false
    let string = try newString(start, from: start + 16, &isPlain)
    let count = next - start &- 1
    guard isPlain, count <= DirectStrings.limitBytes else { return string }
    slot.pointee = DirectStrings.Slot(
      key: key, rest: DirectStrings.Slot.rest(of: start, count), count: count, string: string)
    return string
  }

  /// Reads a string of less than 16 bytes of plain ASCII, if a quote follows them.
  @inline(__always)
  private mutating func shortString(
    _ start: UnsafePointer<UInt8>, _ count: Int, _ key: (UInt64, UInt64),
    _ slots: UnsafeMutablePointer<DirectStrings.Slot>
  ) throws(DirectMismatch) -> String {
    // The found quote may be after the end of the bytes.
    guard count < end - start, start[count] == UInt8(ascii: "\"") else {
      return try unusualString(start)
    }
    next = start + (count &+ 1)
    let slot = DirectStrings.slot(key, slots)
    if slot.pointee.key == key, slot.pointee.count == count { return slot.pointee.string }
    // Strings this short are stored without the heap, in half the time of general decoding.
    let string = String(unsafeUninitializedCapacity: count) { bytes in
      UnsafeMutableRawBufferPointer(bytes).copyMemory(from: UnsafeRawBufferPointer(start: start, count: count))
      return count
    }
    slot.pointee = DirectStrings.Slot(key: key, rest: (0, 0, 0), count: count, string: string)
    return string
  }

  /// Reads a string after its quote, and returns whether it is plain ASCII.
  ///
  /// - Parameter first: The first byte to check. All bytes before it are plain ASCII.
  private mutating func newString(
    _ start: UnsafePointer<UInt8>, from first: UnsafePointer<UInt8>, _ isPlain: inout Bool
  ) throws(DirectMismatch) -> String {
    var place = first
    while end - place >= 8 {
      let marks = DirectBytes.unusual(UInt64(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self)))
      if marks == 0 {
        place += 8
        continue
      }
      place += marks.trailingZeroBitCount &>> 3
      guard place.pointee == UInt8(ascii: "\"") else { break }
      next = place + 1
      isPlain = true
      return String(decoding: UnsafeBufferPointer(start: start, count: place - start), as: UTF8.self)
    }
    return try unusualString(start)
  }

  @inline(never)
  private mutating func unusualString(_ start: UnsafePointer<UInt8>) throws(DirectMismatch) -> String {
    let scanner = JSONScanner(UnsafeBufferPointer(start: start - 1, count: end - start + 1), maximumDepth: 0)
    do throws(JSONError) {
      let token = try scanner.scanString(0)
      next = start + (token.value - 1)
      return JSONStrings.string(token, scanner.base)
    } catch {
      throw DirectMismatch()
    }
  }
}

extension DirectReader {
  /// Reads an integer.
  @inlinable
  public mutating func integer<Integer: FixedWidthInteger>() throws(DirectMismatch) -> Integer {
    let isNegative = next < end && next.pointee == UInt8(ascii: "-")
    var place = isNegative ? next + 1 : next
    let first = place
    var magnitude: UInt64 = 0
    while place < end {
      let digit = place.pointee &- 0x30
      guard digit < 10 else { break }
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carry { throw DirectMismatch() }
      magnitude = sum
      place += 1
    }
    guard place > first, first.pointee != 0x30 || place == first + 1 else { throw DirectMismatch() }
    // The number may still be an integer, but the writer does not write it this way.
    if place < end, place.pointee == UInt8(ascii: ".") || place.pointee | 0x20 == UInt8(ascii: "e") {
      throw DirectMismatch()
    }
    next = place
    if !isNegative {
      guard let value = Integer(exactly: magnitude) else { throw DirectMismatch() }
      return value
    }
    guard magnitude <= 1 << 63, let value = Integer(exactly: Int64(truncatingIfNeeded: 0 &- magnitude)) else {
      throw DirectMismatch()
    }
    return value
  }

  /// Reads `true` or `false`.
  @inlinable
  public mutating func bool() throws(DirectMismatch) -> Bool {
    if accept("true") { return true }
    if accept("false") { return false }
    throw DirectMismatch()
  }

  /// Reads a number, or a string for a value that is not finite.
  public mutating func double() throws(DirectMismatch) -> Double {
    try floatingPoint { number in number.double }
  }

  /// Reads a number, or a string for a value that is not finite.
  public mutating func float() throws(DirectMismatch) -> Float {
    try floatingPoint { number in number.float }
  }

  private mutating func floatingPoint<Value: BinaryFloatingPoint>(
    _ convert: (JSONDecimal) -> Value
  ) throws(DirectMismatch) -> Value {
    if accept("\"NaN\"") { return .nan }
    if accept("\"Infinity\"") { return .infinity }
    if accept("\"-Infinity\"") { return -.infinity }
    let value = convert(JSONDecimal(try number()))
    guard value.isFinite else { throw DirectMismatch() }
    return value
  }

  private mutating func number() throws(DirectMismatch) -> UnsafeBufferPointer<UInt8> {
    guard next < end else { throw DirectMismatch() }
    let scanner = JSONScanner(UnsafeBufferPointer(start: next, count: left), maximumDepth: 0)
    do throws(JSONError) {
      let count = try scanner.scanNumber(0).value
      defer { next += count }
      return UnsafeBufferPointer(start: next, count: count)
    } catch {
      throw DirectMismatch()
    }
  }
}
