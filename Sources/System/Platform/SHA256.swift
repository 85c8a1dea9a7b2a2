internal import CSystem

/// An incremental SHA-256 hash (FIPS 180-4, section 6.2). It allocates no memory, so that hashes of a few bytes, such as those of a
/// Merkle tree, cost little more than their blocks.
package struct SHA256: Sendable {
  private var state = SHA256State()
  /// The bytes after the last full block. Those from `tailCount` on have no meaning.
  private var tail = SHA256Tail()
  /// The number of bytes after the last full block: fewer than 64.
  private var tailCount = 0
  private var byteCount: UInt64 = 0

  package init() {}

  /// Returns the digest of some bytes: 32 bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hasher = SHA256()
    hasher.update(bytes)
    return hasher.finalize()
  }

  package mutating func update(_ bytes: some Sequence<UInt8>) {
    let done: Void? = bytes.withContiguousStorageIfAvailable { buffer in
      update(UnsafeRawBufferPointer(buffer))
    }
    if done == nil {
      Array(bytes).withUnsafeBytes { buffer in update(buffer) }
    }
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    byteCount &+= UInt64(bytes.count)
    var offset = 0
    if tailCount > 0 {
      let wanted = min(SHA256Blocks.byteCount - tailCount, bytes.count)
      copyToTail(start, wanted)
      offset = wanted
      guard tailCount == SHA256Blocks.byteCount else { return }
      foldTail()
    }
    let blockBytes = (bytes.count - offset) & ~(SHA256Blocks.byteCount - 1)
    if blockBytes > 0 {
      SHA256Blocks.fold(UnsafeRawBufferPointer(start: start + offset, count: blockBytes), into: &state)
      offset += blockBytes
    }
    if offset < bytes.count { copyToTail(start + offset, bytes.count - offset) }
  }

  package mutating func update(_ byte: UInt8) {
    withUnsafeBytes(of: byte) { bytes in update(bytes) }
  }

  /// Adds the 32 bytes of a digest.
  package mutating func update(_ digest: SHA256Digest) {
    digest.withUnsafeBytes { bytes in update(bytes) }
  }

  /// Adds a number as four bytes, highest first.
  package mutating func update(bigEndian number: UInt32) {
    withUnsafeBytes(of: number.bigEndian) { bytes in update(bytes) }
  }

  /// Returns the digest of the bytes so far. The hash is unchanged, so more bytes can be added.
  package func digest() -> SHA256Digest {
    SHA256.withLastBlocks { last in
      withUnsafeBytes(of: tail) { tail in last.copyMemory(from: tail) }
      return SHA256.finish(last, count: tailCount, byteCount: byteCount, state)
    }
  }

  /// Returns the digest of the bytes so far.
  package func finalize() -> [UInt8] { digest().bytes }

  /// Requires space in the tail.
  private mutating func copyToTail(_ start: UnsafeRawPointer, _ count: Int) {
    let offset = tailCount
    withUnsafeMutableBytes(of: &tail) { tail in
      UnsafeMutableRawBufferPointer(rebasing: tail[offset...])
        .copyMemory(from: UnsafeRawBufferPointer(start: start, count: count))
    }
    tailCount += count
  }

  /// Folds the tail, which is a full block.
  private mutating func foldTail() {
    withUnsafeBytes(of: tail) { block in SHA256Blocks.fold(block, into: &state) }
    tailCount = 0
  }
}

extension SHA256 {
  /// Returns the digest of some bytes as 64 lower-case hexadecimal digits.
  package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var hasher = SHA256()
    hasher.update(bytes)
    return hasher.digest().hexadecimal
  }

  /// Returns the digest of one byte and the bytes after it, such as the leaf of a Merkle tree. Copies only what is not a complete block.
  package static func digest(_ first: UInt8, _ bytes: UnsafeRawBufferPointer) -> SHA256Digest {
    withLastBlocks { last in
      last[0] = first
      let byteCount = UInt64(bytes.count + 1)
      guard bytes.count >= lastBytesLimit else {
        copy(bytes, to: last, at: 1)
        return finish(last, count: bytes.count + 1, byteCount: byteCount, SHA256State())
      }
      var state = SHA256State()
      let (firstEnd, block) = (SHA256Blocks.byteCount - 1, SHA256Blocks.byteCount)
      copy(UnsafeRawBufferPointer(rebasing: bytes[..<firstEnd]), to: last, at: 1)
      SHA256Blocks.fold(UnsafeRawBufferPointer(rebasing: last[..<block]), into: &state)
      let blocksEnd = firstEnd + (bytes.count - firstEnd) & ~(block - 1)
      SHA256Blocks.fold(UnsafeRawBufferPointer(rebasing: bytes[firstEnd..<blocksEnd]), into: &state)
      copy(UnsafeRawBufferPointer(rebasing: bytes[blocksEnd...]), to: last, at: 0)
      return finish(last, count: bytes.count - blocksEnd, byteCount: byteCount, state)
    }
  }

  /// Returns the digest of one byte and two sequences of bytes.
  package static func digest(
    _ first: UInt8, _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> SHA256Digest {
    let count = left.count + right.count
    guard count < lastBytesLimit else {
      var hasher = SHA256()
      hasher.update(first)
      hasher.update(left)
      hasher.update(right)
      return hasher.digest()
    }
    return withLastBlocks { last in
      last[0] = first
      copy(left, to: last, at: 1)
      copy(right, to: last, at: 1 + left.count)
      return finish(last, count: count + 1, byteCount: UInt64(count + 1), SHA256State())
    }
  }

  /// Returns the digest of one byte and two digests, such as an inner node of a Merkle tree: two blocks.
  package static func digest(_ first: UInt8, _ left: SHA256Digest, _ right: SHA256Digest) -> SHA256Digest {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in digest(first, left, right) } }
  }

  /// The number of bytes after the first one that fit into two blocks with the padding, plus one.
  private static var lastBytesLimit: Int { 2 * SHA256Blocks.byteCount - 9 }

  /// Calls a closure with memory for two blocks, which has any content.
  @inline(__always)
  private static func withLastBlocks(_ body: (UnsafeMutableRawBufferPointer) -> SHA256Digest) -> SHA256Digest {
    withUnsafeTemporaryAllocation(byteCount: 2 * SHA256Blocks.byteCount, alignment: 16, body)
  }

  @inline(__always)
  private static func copy(
    _ bytes: UnsafeRawBufferPointer, to memory: UnsafeMutableRawBufferPointer, at offset: Int
  ) {
    UnsafeMutableRawBufferPointer(rebasing: memory[offset...]).copyMemory(from: bytes)
  }

  /// Pads the end of a message to one block or two, and folds it: one 1 bit, then zeros, then the length in bits.
  private static func finish(
    _ last: UnsafeMutableRawBufferPointer, count: Int, byteCount: UInt64, _ state: SHA256State
  ) -> SHA256Digest {
    let size = count + 9 <= SHA256Blocks.byteCount ? SHA256Blocks.byteCount : 2 * SHA256Blocks.byteCount
    let padding = UnsafeMutableRawBufferPointer(rebasing: last[count..<size])
    padding.initializeMemory(as: UInt8.self, repeating: 0)
    padding[0] = 0x80
    last.storeBytes(of: (byteCount &* 8).bigEndian, toByteOffset: size - 8, as: UInt64.self)
    var state = state
    SHA256Blocks.fold(UnsafeRawBufferPointer(rebasing: last[..<size]), into: &state)
    return SHA256Digest(state)
  }
}

/// The result of SHA-256: 32 bytes, stored inline.
package struct SHA256Digest: Hashable, Sendable {
  package static var byteCount: Int { 32 }

  /// The bytes in memory order, eight a word.
  private var words: SIMD4<UInt64>

  fileprivate init(_ state: SHA256State) {
    words = .zero
    Swift.withUnsafeMutableBytes(of: &words) { bytes in
      Swift.withUnsafeBytes(of: state.words) { state in
        for index in 0..<8 {
          let word = state.load(fromByteOffset: index * 4, as: UInt32.self).bigEndian
          bytes.storeBytes(of: word, toByteOffset: index * 4, as: UInt32.self)
        }
      }
    }
  }

  /// Creates a digest from its bytes; `nil` unless there are 32.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    words = .zero
    Swift.withUnsafeMutableBytes(of: &words) { words in words.copyBytes(from: bytes) }
  }

  package var bytes: [UInt8] { withUnsafeBytes { bytes in Array(bytes) } }

  /// The bytes as 64 lower-case hexadecimal digits.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(64)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Swift.withUnsafeBytes(of: words, body)
  }
}

/// The eight words of a hash in progress.
package struct SHA256State: Equatable, Sendable {
  package var words: SIMD8<UInt32>

  /// Creates the initial state (FIPS 180-4, 5.3.3).
  package init() {
    words = SIMD8(
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
  }

  package init(_ words: SIMD8<UInt32>) {
    self.words = words
  }
}

/// The memory of an incomplete block.
private struct SHA256Tail: Sendable {
  var low = SIMD4<UInt64>.zero
  var high = SIMD4<UInt64>.zero
}

/// The compression function of SHA-256 over complete blocks (FIPS 180-4, 6.2.2). It uses the processor's instructions if it has
/// them, otherwise Swift code with the same results.
package enum SHA256Blocks {
  package static var byteCount: Int { 64 }

  /// Whether the processor has SHA-256 instructions.
  package static let hasInstructions = csystem_sha256_is_available()

  /// Folds blocks into a hash state.
  static func fold(_ blocks: UnsafeRawBufferPointer, into state: inout SHA256State) {
    if hasInstructions {
      foldByInstructions(blocks, into: &state)
    } else {
      foldByTwin(blocks, into: &state)
    }
  }

  /// Folds blocks with the processor's instructions. Requires ``hasInstructions``.
  package static func foldByInstructions(_ blocks: UnsafeRawBufferPointer, into state: inout SHA256State) {
    precondition(blocks.count % byteCount == 0, "complete blocks")
    guard let start = blocks.baseAddress else { return }
    withUnsafeMutablePointer(to: &state.words) { words in
      words.withMemoryRebound(to: UInt32.self, capacity: 8) { words in
        csystem_sha256_update(words, start, blocks.count / byteCount)
      }
    }
  }

  package static func foldByTwin(_ blocks: UnsafeRawBufferPointer, into state: inout SHA256State) {
    precondition(blocks.count % byteCount == 0, "complete blocks")
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

  private static func compress(_ words: UnsafeMutableBufferPointer<UInt32>, into state: inout SHA256State) {
    let before = state.words
    var (a, b, c, d) = (before[0], before[1], before[2], before[3])
    var (e, f, g, h) = (before[4], before[5], before[6], before[7])
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
    state.words = before &+ SIMD8(a, b, c, d, e, f, g, h)
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
