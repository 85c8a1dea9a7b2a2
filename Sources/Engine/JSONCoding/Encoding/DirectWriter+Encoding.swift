/// What the encoder needs of its output beside appending values.
extension DirectWriter {
  var capacity: Int { end - start }

  /// Appends a byte.
  @inline(__always)
  mutating func byte(_ byte: UInt8) {
    reserve(1)
    next.pointee = byte
    next += 1
  }

  /// What was written from a place on, until the next change.
  func text(from start: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: self.start + start, count: count - start)
  }

  /// A part of what was written, until the next change.
  func raw(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
  }
}
