#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Looking for bytes at the speed of memory.
enum ByteSearch {
  /// The first place of a byte at or after an index.
  ///
  /// - Complexity: O(distance).
  static func first(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress else { return nil }
    guard let found = memchr(base + start, Int32(byte), bytes.count - start) else { return nil }
    return UnsafeRawPointer(found) - base
  }

  /// Whether a literal stands at an offset.
  @inline(__always)
  static func has(_ literal: StaticString, in bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    let size = literal.utf8CodeUnitCount
    guard offset >= 0, size <= bytes.count - offset, let base = bytes.baseAddress else { return false }
    return memcmp(base + offset, literal.utf8Start, size) == 0
  }
}
