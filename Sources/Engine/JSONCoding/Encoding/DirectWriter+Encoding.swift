/// Operations of the encoder on its output, in addition to appending values.
extension DirectWriter {
  var capacity: Int { end - start }

  /// Appends a byte.
  @inline(__always)
  mutating func byte(_ byte: UInt8) {
    reserve(1)
    next.pointee = byte
    next += 1
  }

  /// Returns the bytes written since an offset. They are valid until the next change.
  func text(from start: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: self.start + start, count: count - start)
  }

  /// Returns a part of the output. It is valid until the next change.
  func raw(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
  }
}
