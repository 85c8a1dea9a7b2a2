import CSystem

/// A CRC-32C in the making: the check that every line of a log ends in.
///
/// Castagnoli's polynomial, bits reflected, register inverted at both ends; the check of `123456789` is `e3069283`
/// (RFC 3720, appendix B.4; the instructions of SSE 4.2 and ARMv8 compute it). Where the processor has no such
/// instructions ``CRC32CTables`` takes their place.
package struct CRC32C: Sendable {
  /// The register, inverted as it is while bytes come in.
  private var register: UInt32

  /// Begins with no bytes.
  package init() {
    register = .max
  }

  /// Goes on where another computation ended.
  package init(continuing checksum: UInt32) {
    register = ~checksum
  }

  /// The check of all bytes so far.
  package var checksum: UInt32 { ~register }

  /// Takes in the bytes that follow.
  ///
  /// - Complexity: O(*n*), some 8 bytes in three cycles with the instructions.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    if csystem_crc32c_is_available() {
      register = csystem_crc32c_update(register, start, bytes.count)
    } else {
      register = CRC32CTables.update(register, bytes)
    }
  }

  /// Takes in the bytes that follow.
  package mutating func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { buffer in update(buffer) }
  }

  /// The check of bytes that lie in one place.
  package static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.update(bytes)
    return crc.checksum
  }

  /// The check of bytes that lie in one place.
  package static func checksum(of bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { buffer in checksum(of: buffer) }
  }

  /// The check of bytes that lie in one place.
  package static func checksum(of bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { buffer in checksum(of: buffer) }
  }
}
