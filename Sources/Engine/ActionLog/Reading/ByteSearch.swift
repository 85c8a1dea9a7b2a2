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

  /// The last place of a byte.
  ///
  /// - Complexity: O(distance from the end).
  static func last(_ byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
    var index = bytes.count
    while index > 0 {
      index -= 1
      if bytes[index] == byte { return index }
    }
    return nil
  }
}
