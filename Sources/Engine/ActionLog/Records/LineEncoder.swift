internal import JSONCoding

/// An encoder of lines, with the members in the order of the format.
///
/// It keeps the text of the last second, because consecutive records usually share it.
package struct LineEncoder: Sendable {
  private var second: Int64?
  /// The 19 characters of the last second and the decimal point, as little-endian words.
  private var secondText: (UInt64, UInt64, UInt32) = (0, 0, 0)

  package init() {}

  /// Returns the memory that a line needs.
  package static func sizeLimit(type: Int, data: Int, meta: Int) -> Int {
    LogFormat.envelopeRoomBytes + type + data + meta
  }

  /// Writes one line and its line feed.
  ///
  /// - Parameter salt: The salt of the line; `nil` for a plain line.
  /// - Returns: The length of the line and its checksum.
  @inline(__always)
  package mutating func write(
    revision: Int,
    time: LogTime,
    type: UnsafeRawBufferPointer,
    synced: Int,
    prev: UInt32,
    salt: SaltText? = nil,
    data: UnsafeRawBufferPointer,
    meta: UnsafeRawBufferPointer?,
    to start: UnsafeMutableRawPointer
  ) -> (size: Int, crc: UInt32) {
    let whole = CivilSecond.whole(of: time)
    if whole != second { remember(whole, time) }
    var writer = ByteWriter(at: start)
    writer.write(#"{"seq":"#)
    writer.write(revision)
    writer.write(#","time":""#)
    writer.write(word: secondText.0)
    writer.write(word: secondText.1)
    writer.write(word: UInt64(secondText.2), count: 4)
    writer.write(microsecond: Int(truncatingIfNeeded: time.microseconds &- whole &* 1_000_000))
    writer.write(#"Z","type":"#)
    writer.write(type)
    writer.write(#","synced":"#)
    writer.write(synced)
    writer.write(#","prev":""#)
    writer.write(word: ChecksumDigits.word(prev))
    if let salt {
      writer.write(#"","salt":""#)
      writer.write(word: salt.words.0)
      writer.write(word: salt.words.1)
      writer.write(word: salt.words.2, count: 6)
    }
    writer.write(#"","data":"#)
    writer.write(data)
    if let meta {
      writer.write(#","meta":"#)
      writer.write(meta)
    }
    let crc = CRC32C.checksum(of: UnsafeRawBufferPointer(start: start, count: writer.next - start))
    writer.write(LogFormat.markOpening)
    writer.write(word: ChecksumDigits.word(crc))
    writer.write(LogFormat.markEnding)
    return (writer.next - start, crc)
  }

  /// Appends one line and its line feed.
  ///
  /// - Parameter salt: The 16 bytes of the salt; `nil` for a plain line.
  /// - Returns: The checksum of the line.
  package mutating func append(
    revision: Int,
    time: LogTime,
    type: String,
    synced: Int,
    prev: UInt32,
    salt: [UInt8]? = nil,
    data: [UInt8],
    meta: [UInt8]? = nil,
    to output: inout [UInt8]
  ) -> UInt32 {
    var text: [UInt8] = []
    JSONText.appendString(type, to: &text)
    let limit = LineEncoder.sizeLimit(type: text.count, data: data.count, meta: meta?.count ?? 0)
    var crc: UInt32 = 0
    output += [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      // The capacity is greater than zero, so the buffer has an address.
      let start = UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped)
      text.withUnsafeBytes { type in
        data.withUnsafeBytes { data in
          (meta ?? []).withUnsafeBytes { bytes in
            (count, crc) = write(
              revision: revision, time: time, type: type, synced: synced, prev: prev,
              salt: salt.map { salt in SaltText(salt) }, data: data, meta: meta == nil ? nil : bytes, to: start)
          }
        }
      }
    }
    return crc
  }

  private mutating func remember(_ whole: Int64, _ time: LogTime) {
    var text: [UInt8] = []
    CivilSecond(of: time).append(to: &text)
    text.append(UInt8(ascii: "."))
    secondText = text.withUnsafeBytes { bytes in
      (
        UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
      )
    }
    second = whole
  }
}

/// A writer to preallocated memory, without a bounds check for each part of a line (benchmark `append, no sync,
/// direct`).
///
/// The caller provides ``LineEncoder/sizeLimit(type:data:meta:)`` bytes.
struct ByteWriter {
  private(set) var next: UnsafeMutableRawPointer

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

  /// Writes the lowest bytes of a word in little-endian order. It always stores eight bytes, so there must be memory
  /// for eight.
  @inline(__always)
  mutating func write(word: UInt64, count: Int = 8) {
    next.storeBytes(of: word.littleEndian, as: UInt64.self)
    next += count
  }

  @inline(__always)
  mutating func write(_ value: Int) {
    guard value < DecimalDigits.limit else { return writeLong(value) }
    let digits = DecimalDigits.digits(of: value)
    // All eight digits are zero only for 0, which keeps its last digit.
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

/// Conversion between a number and eight decimal digits in a little-endian word, without a loop.
///
/// After D. Lemire, "Quickly parsing eight digits" (2018).
enum DecimalDigits {
  /// Eight characters `0`.
  static let zeros: UInt64 = 0x3030_3030_3030_3030

  /// Returns a word whose high bits mark the bytes that are not digits. The argument is a text XOR ``zeros``.
  @inline(__always)
  static func nonDigits(_ word: UInt64) -> UInt64 {
    // The sum sets the high bit of every byte from 10 to 0x7F. Only a marked byte can carry into the next one.
    ((word &+ 0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080
  }

  /// Returns the number of eight digits from 0 to 9.
  @inline(__always)
  static func value(_ digits: UInt64) -> Int {
    let pairs = digits &* 10 &+ digits >> 8
    let low = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let high = (pairs >> 16 & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return Int(truncatingIfNeeded: (low &+ high) >> 32)
  }
}

extension DecimalDigits {
  /// 10⁸: the first number with more than eight digits.
  static let limit = 100_000_000

  /// Returns the eight digits of a number below ``limit``, each from 0 to 9.
  @inline(__always)
  static func digits(of value: Int) -> UInt64 {
    let value = UInt64(truncatingIfNeeded: value)
    // Split into halves, quarters and digits. Each step divides all parts at once by multiplying with the reciprocal.
    let halves = value / 10_000 | (value % 10_000) << 32
    let hundreds = ((halves &* 10_486) >> 20) & 0x0000_007F_0000_007F
    let quarters = hundreds | (halves &- hundreds &* 100) << 16
    let tens = ((quarters &* 103) >> 10) & 0x000F_000F_000F_000F
    return tens | (quarters &- tens &* 10) << 8
  }
}
