/// SHA-256, incrementally.
///
/// A digest of a state is compared across processes and platforms, so the hash is a standard one that any tool can
/// compute again.
///
/// - SeeAlso: FIPS 180-4, section 6.2.
public struct SHA256: Sendable {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// Bytes that do not fill a block yet: fewer than 64.
  private var tail: [UInt8] = []
  private var byteCount: UInt64 = 0

  /// Begins a digest of nothing.
  public init() {}

  /// The digest of some bytes: 32 bytes.
  ///
  /// - Complexity: O(length of `bytes`).
  public static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hasher = SHA256()
    hasher.update(bytes)
    return hasher.finalize()
  }

  /// Adds bytes to what is digested.
  ///
  /// - Complexity: O(length of `bytes`).
  public mutating func update(_ bytes: some Sequence<UInt8>) {
    let done: Void? = bytes.withContiguousStorageIfAvailable { buffer in
      update(UnsafeRawBufferPointer(buffer))
    }
    if done == nil {
      Array(bytes).withUnsafeBytes { buffer in update(buffer) }
    }
  }

  /// Adds bytes to what is digested.
  ///
  /// - Complexity: O(length of `bytes`).
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    byteCount &+= UInt64(bytes.count)
    var offset = 0
    if !tail.isEmpty {
      let wanted = Swift.min(64 - tail.count, bytes.count)
      tail.append(contentsOf: bytes[..<wanted])
      offset = wanted
      guard tail.count == 64 else { return }
      let block = tail
      tail.removeAll(keepingCapacity: true)
      block.withUnsafeBytes { block in SHA256Blocks.fold(block, into: &state) }
    }
    let end = offset + (bytes.count - offset) / 64 * 64
    SHA256Blocks.fold(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]), into: &state)
    tail.append(contentsOf: bytes[end...])
  }

  /// Ends the digest.
  ///
  /// - Returns: 32 bytes. The value itself is unchanged, so more can be added to it and another digest taken.
  public func finalize() -> [UInt8] {
    var last = self
    let bitCount = byteCount &* 8
    // One bit, then zeros up to eight bytes below a multiple of 64, then the length in bits.
    var padding: [UInt8] = [0x80]
    padding += [UInt8](repeating: 0, count: (119 - tail.count) % 64)
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      padding.append(UInt8(truncatingIfNeeded: bitCount >> shift))
    }
    padding.withUnsafeBytes { padding in last.update(padding) }
    var digest: [UInt8] = []
    digest.reserveCapacity(32)
    for word in last.state {
      for shift in stride(from: UInt32(24), through: 0, by: -8) {
        digest.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    return digest
  }
}

extension SHA256 {
  /// The digest of some bytes as 64 lower-case hexadecimal digits.
  ///
  /// - Complexity: O(length of `bytes`).
  public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(64)
    for byte in hash(bytes) {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
