/// Writes the short, fixed parts of a line into memory of its own, so that the line grows by whole parts and not by
/// bytes: growing an array costs a check for every append.
struct ByteWriter {
  private let start: UnsafeMutablePointer<UInt8>
  private var next: UnsafeMutablePointer<UInt8>

  /// What one part may take: names, 27 bytes of time and two numbers of 19 digits need less.
  private static let limitBytes = 160

  /// Appends what `body` writes, at most 160 bytes.
  static func append(to output: inout [UInt8], _ body: (inout ByteWriter) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: limitBytes) { buffer in
      // A temporary allocation of more than no bytes has an address.
      let start = buffer.baseAddress.unsafelyUnwrapped
      var writer = ByteWriter(start: start, next: start)
      body(&writer)
      let count = writer.next - start
      precondition(count <= limitBytes, "a part of a line is longer than it can be")
      output.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    }
  }

  mutating func write(_ literal: StaticString) {
    let count = literal.utf8CodeUnitCount
    next.update(from: literal.utf8Start, count: count)
    next += count
  }

  mutating func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { bytes in
      guard let source = bytes.baseAddress else { return }
      next.update(from: source, count: bytes.count)
      next += bytes.count
    }
  }

  /// Writes an integer that is not negative.
  mutating func write(_ value: Int) {
    var count = 1
    var limit = 10
    // 10¹⁸ is the largest power of ten below 2⁶³.
    while count < 19, value >= limit {
      count += 1
      if count < 19 { limit *= 10 }
    }
    write(value, digits: count)
  }

  /// Writes an integer that is not negative, with leading zeros.
  mutating func write(_ value: Int, digits count: Int) {
    var rest = UInt(bitPattern: value)
    for index in stride(from: count - 1, through: 0, by: -1) {
      next[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    next += count
  }

  /// Writes the eight digits of ``ChecksumDigits``.
  mutating func write(checksum: UInt32) {
    var rest = checksum
    for index in stride(from: ChecksumDigits.count - 1, through: 0, by: -1) {
      let digit = UInt8(truncatingIfNeeded: rest & 15)
      next[index] = digit &+ (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
      rest >>= 4
    }
    next += ChecksumDigits.count
  }
}
