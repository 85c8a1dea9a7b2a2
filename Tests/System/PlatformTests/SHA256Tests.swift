import Platform
import TestSupport
import Testing

/// Test vectors from the examples of FIPS 180-4 and from NIST's CAVP.
@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func matchesPublishedVectors(text: String, digest: String) {
    #expect(SHA256.hexadecimal(text.utf8) == digest)
  }

  @Test func digestsAMillionLetters() {
    let digest = SHA256.hexadecimal([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
    #expect(digest == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  /// Lengths around one and two blocks, where the padding needs a block of its own.
  @Test(arguments: Array(0...130))
  func anySplitGivesTheSameDigest(length: Int) {
    let bytes = (0..<length).map { index in UInt8(truncatingIfNeeded: index * 7) }
    let whole = SHA256.hash(bytes)
    for split in stride(from: 0, through: length, by: 13) {
      var hasher = SHA256()
      hasher.update(bytes[..<split])
      hasher.update(bytes[split...])
      #expect(hasher.finalize() == whole, "split at \(split)")
    }
  }

  /// Computed with Python's hashlib: every length of the last block, with one block for the padding and with two.
  @Test func everyLengthMatchesAnotherProgram() {
    var all = SHA256()
    for length in 0...260 {
      all.update(SHA256.hash((0..<length).map { index in UInt8(truncatingIfNeeded: index * 7) }))
    }
    #expect(all.digest().hexadecimal == "ae850ed7407f71b426e97298aafecb0c5a4137d5d39bc634091ec1bfd7b5a2cf")
  }

  @Test(arguments: Array(0...260))
  func oneShotDigestsMatch(length: Int) throws {
    let bytes = (0..<length).map { index in UInt8(truncatingIfNeeded: index * 5) }
    let leaf = bytes.withUnsafeBytes { bytes in SHA256.digest(0, bytes) }
    #expect(leaf.bytes == SHA256.hash([0] + bytes))
    #expect(leaf.hexadecimal == SHA256.hexadecimal([0] + bytes))
    let other = try #require(SHA256Digest(SHA256.hash(bytes)))
    #expect(SHA256.digest(1, leaf, other).bytes == SHA256.hash([1] + leaf.bytes + other.bytes))
    for split in stride(from: 0, through: length, by: 16) {
      let digest = bytes[..<split].withUnsafeBytes { left in
        bytes[split...].withUnsafeBytes { right in SHA256.digest(2, left, right) }
      }
      #expect(digest.bytes == SHA256.hash([2] + bytes), "split at \(split)")
    }
    #expect(SHA256Digest(bytes)?.bytes == (length == 32 ? bytes : nil))
  }

  @Test func aDigestCanBeTakenInBetween() {
    var hasher = SHA256()
    hasher.update("ab".utf8)
    let early = hasher.finalize()
    hasher.update("c".utf8)
    #expect(early == SHA256.hash("ab".utf8))
    #expect(hasher.finalize() == SHA256.hash("abc".utf8))
  }

  /// The processor determines which of the two computes digests.
  @Test(.enabled(if: SHA256Blocks.hasInstructions, "the processor has no instructions for SHA-256"), arguments: 0..<20)
  func instructionsAndSwiftCodeMatch(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let initial = SHA256State(.random(in: .min ... .max, using: &random))
    // One additional byte in front, because blocks need not be aligned.
    let bytes = (0...Int(seed) * 64).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    var (state, twin) = (initial, initial)
    bytes.withUnsafeBytes { bytes in
      let blocks = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
      SHA256Blocks.foldByInstructions(blocks, into: &state)
      SHA256Blocks.foldByTwin(blocks, into: &twin)
    }
    #expect(state == twin, "seed \(seed)")
    #expect((state == initial) == (seed == 0), "seed \(seed)")
  }

  @Test func theSwiftCodeMatchesAPublishedVector() {
    // "abc", one 1 bit, zeros, and the length in bits.
    let block = Array("abc".utf8) + [0x80] + [UInt8](repeating: 0, count: 59) + [24]
    var state = SHA256State()
    block.withUnsafeBytes { block in SHA256Blocks.foldByTwin(block, into: &state) }
    #expect(
      state.words
        == SIMD8(
          0xba78_16bf, 0x8f01_cfea, 0x4141_40de, 0x5dae_2223, 0xb003_61a3, 0x9617_7a9c, 0xb410_ff61, 0xf200_15ad))
  }
}
