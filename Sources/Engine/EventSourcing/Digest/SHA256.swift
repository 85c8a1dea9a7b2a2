import CSystem

/// An incremental SHA-256 hash.
///
/// Digests of states are compared across processes and platforms, so the hash is a standard one that any tool can compute.
///
/// - SeeAlso: FIPS 180-4, section 6.2.
package struct SHA256: Sendable {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The bytes after the last full block: fewer than 64.
  private var tail: [UInt8] = []
  private var byteCount: UInt64 = 0

  /// Makes a hash of no bytes.
  package init() {}

  /// Returns the digest of some bytes: 32 bytes.
  ///
  /// - Complexity: O(length of `bytes`).
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hasher = SHA256()
    hasher.update(bytes)
    return hasher.finalize()
  }

  /// Adds bytes.
  ///
  /// - Complexity: O(length of `bytes`).
  package mutating func update(_ bytes: some Sequence<UInt8>) {
    let done: Void? = bytes.withContiguousStorageIfAvailable { buffer in
      update(UnsafeRawBufferPointer(buffer))
    }
    if done == nil {
      Array(bytes).withUnsafeBytes { buffer in update(buffer) }
    }
  }

  /// Adds bytes.
  ///
  /// - Complexity: O(length of `bytes`).
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
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

  /// Returns the digest of the bytes so far.
  ///
  /// - Returns: 32 bytes. The hash is unchanged, so more bytes can be added.
  package func finalize() -> [UInt8] {
    var last = self
    let bitCount = byteCount &* 8
    // One 1 bit, then zeros up to eight bytes below a multiple of 64, then the length in bits.
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
  /// Returns the digest of some bytes as 64 lower-case hexadecimal digits.
  ///
  /// - Complexity: O(length of `bytes`).
  package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
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

/// The compression function of SHA-256 over complete blocks (FIPS 180-4, 6.2.2). It uses the processor's instructions if it has
/// them, otherwise Swift code with the same results.
package enum SHA256Blocks {
  /// The number of bytes in a block.
  package static var byteCount: Int { 64 }

  /// Whether the processor has SHA-256 instructions.
  package static let hasInstructions = csystem_sha256_is_available()

  /// Folds blocks into a hash state.
  ///
  /// - Parameters:
  ///   - blocks: Complete blocks.
  ///   - state: Eight words.
  /// - Complexity: O(*n*); benchmark `digest of a state`.
  static func fold(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt32]) {
    if hasInstructions {
      foldByInstructions(blocks, into: &state)
    } else {
      foldByTwin(blocks, into: &state)
    }
  }

  /// Folds blocks with the processor's instructions. Requires ``hasInstructions``.
  package static func foldByInstructions(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt32]) {
    precondition(blocks.count % byteCount == 0 && state.count == 8, "whole blocks and eight words")
    guard let start = blocks.baseAddress else { return }
    state.withUnsafeMutableBufferPointer { state in
      csystem_sha256_update(state.baseAddress, start, blocks.count / byteCount)
    }
  }

  /// Folds blocks in Swift.
  package static func foldByTwin(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt32]) {
    precondition(blocks.count % byteCount == 0 && state.count == 8, "whole blocks and eight words")
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      for offset in stride(from: 0, to: blocks.count, by: byteCount) {
        schedule(blocks, at: offset, in: words)
        compress(words, into: &state)
      }
    }
  }

  /// Expands one block to the 64 words of its message schedule.
  private static func schedule(
    _ blocks: UnsafeRawBufferPointer, at offset: Int, in words: UnsafeMutableBufferPointer<UInt32>
  ) {
    for index in 0..<16 {
      words[index] = UInt32(
        bigEndian: blocks.loadUnaligned(fromByteOffset: offset + index * 4, as: UInt32.self))
    }
    for index in 16..<64 {
      let low = words[index - 15]
      let high = words[index - 2]
      let sigma0 = rotate(low, 7) ^ rotate(low, 18) ^ (low >> 3)
      let sigma1 = rotate(high, 17) ^ rotate(high, 19) ^ (high >> 10)
      words[index] = words[index - 16] &+ sigma0 &+ words[index - 7] &+ sigma1
    }
  }

  private static func compress(_ words: UnsafeMutableBufferPointer<UInt32>, into state: inout [UInt32]) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    roundConstants.withUnsafeBufferPointer { constants in
      for index in 0..<64 {
        let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
        let choice = (e & f) ^ (~e & g)
        let first = h &+ sum1 &+ choice &+ constants[index] &+ words[index]
        let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
        let majority = (a & b) ^ (a & c) ^ (b & c)
        (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ sum0 &+ majority)
      }
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }
}

@inline(__always)
private func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
  (word &>> count) | (word &<< (32 &- count))
}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
private let roundConstants: [UInt32] = [
  0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
  0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
  0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
  0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
  0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
  0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
  0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
  0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
]
