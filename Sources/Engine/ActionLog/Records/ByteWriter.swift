/// Writes the short, fixed parts of a line into memory that was made large enough before, so that a line costs no check
/// for each of its parts (the benchmark `append, no sync, direct`).
///
/// The caller has seen to the room: ``LineEncoder/sizeLimit(type:data:meta:)`` bytes.
struct ByteWriter {
  private(set) var next: UnsafeMutableRawPointer

  /// Begins at an address.
  @inline(__always)
  init(at start: UnsafeMutableRawPointer) {
    next = start
  }

  @inline(__always)
  mutating func write(_ literal: StaticString) {
    let count = literal.utf8CodeUnitCount
    next.copyMemory(from: literal.utf8Start, byteCount: count)
    next += count
  }

  @inline(__always)
  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    next.copyMemory(from: source, byteCount: bytes.count)
    next += bytes.count
  }

  /// Writes the lowest bytes of a word, the first one lowest. Room for eight is there.
  @inline(__always)
  mutating func write(word: UInt64, count: Int = 8) {
    next.storeBytes(of: word.littleEndian, as: UInt64.self)
    next += count
  }

  /// Writes an integer that is not negative.
  @inline(__always)
  mutating func write(_ value: Int) {
    guard value < DecimalDigits.limit else { return writeLong(value) }
    let digits = DecimalDigits.digits(of: value)
    // All eight are zeros only for 0, which keeps its last one.
    let zeros = (digits | 1 << 56).trailingZeroBitCount >> 3
    write(word: (digits | DecimalDigits.zeros) >> UInt64(truncatingIfNeeded: zeros * 8), count: 8 - zeros)
  }

  private mutating func writeLong(_ value: Int) {
    let (high, low) = value.quotientAndRemainder(dividingBy: DecimalDigits.limit)
    write(high)
    write(word: DecimalDigits.digits(of: low) | DecimalDigits.zeros)
  }

  /// Writes the six digits of a fraction of a second in microseconds.
  @inline(__always)
  mutating func write(microsecond value: Int) {
    write(word: (DecimalDigits.digits(of: value) | DecimalDigits.zeros) >> 16, count: 6)
  }
}
