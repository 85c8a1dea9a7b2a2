import ActionLog
import CSystem
import Foundation
import Platform
import Testing

@Suite("CRC-32C", .timeLimit(.minutes(60)))
struct CRC32CTests {
  /// Bytes and their checksum, made with a tool that shares no code with this package.
  struct Vector: Decodable {
    var hex: String
    var crc32c: String

    var bytes: [UInt8] {
      let digits = Array(hex.utf8)
      return stride(from: 0, to: digits.count, by: 2).compactMap { index in
        UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16)
      }
    }

    static func all() throws -> [Vector] {
      let url = try #require(
        Bundle.module.url(forResource: "crc32c", withExtension: "json", subdirectory: "Fixtures/vectors"))
      return try JSONDecoder().decode([Vector].self, from: Data(contentsOf: url))
    }
  }

  @Test func knownVectorsMatch() throws {
    let vectors = try Vector.all()
    #expect(vectors.count >= 9)
    for vector in vectors {
      let checksum = CRC32C.checksum(of: vector.bytes)
      #expect(ChecksumDigits.text(checksum) == vector.crc32c, "of \(vector.hex.prefix(80))")
      let byTables = vector.bytes.withUnsafeBytes { bytes in ~CRC32CTables.update(.max, bytes) }
      #expect(byTables == checksum, "of \(vector.hex.prefix(80))")
    }
  }

  @Test(.enabled(if: csystem_crc32c_is_available(), "the processor has no instructions for CRC-32C"))
  func instructionsMatchTables() {
    var generator = SplitMix64(seed: 0x5EED)
    let bytes = (0..<600).map { _ in UInt8.random(in: 0...255, using: &generator) }
    bytes.withUnsafeBytes { buffer in
      for start in 0..<16 {
        for end in start..<buffer.count {
          let part = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
          guard let address = part.baseAddress else { continue }
          let byInstructions = csystem_crc32c_update(0x1234_5678, address, part.count)
          if byInstructions != CRC32CTables.update(0x1234_5678, part) {
            Issue.record("they differ for the bytes \(start)..<\(end) of seed 0x5EED")
            return
          }
        }
      }
    }
  }

  @Test func incrementalUpdatesMatchOneUpdate() {
    let bytes = (0..<100).map { index in UInt8(index * 7 % 256) }
    let whole = CRC32C.checksum(of: bytes)
    for cut in 0...bytes.count {
      var crc = CRC32C()
      crc.update(bytes[..<cut])
      var rest = CRC32C(continuing: crc.checksum)
      rest.update(bytes[cut...])
      #expect(rest.checksum == whole, "cut at \(cut)")
    }
  }

  @Test func everyFlippedBitChangesTheChecksum() {
    var bytes = Array(#"{"seq":1,"time":"2026-11-21T09:00:05.123456Z","type":"ui.categoryList.onAppear"}"#.utf8)
    let checksum = CRC32C.checksum(of: bytes)
    for index in bytes.indices {
      for bit in 0..<8 {
        bytes[index] ^= 1 << bit
        #expect(CRC32C.checksum(of: bytes) != checksum, "byte \(index), bit \(bit)")
        bytes[index] ^= 1 << bit
      }
    }
  }
}

@Suite("Checksum digits")
struct ChecksumDigitsTests {
  @Test(arguments: [(UInt32(0), "00000000"), (0xE306_9283, "e3069283"), (0x0000_0A0B, "00000a0b"), (.max, "ffffffff")])
  func digitsAreEightAndLowercase(_ checksum: UInt32, _ text: String) {
    var bytes = Array("x".utf8)
    ChecksumDigits.append(checksum, to: &bytes)
    #expect(bytes == Array("x\(text)".utf8))
    #expect(ChecksumDigits.text(checksum) == text)
    #expect(ChecksumDigits.parse(text.utf8) == checksum)
  }

  @Test(arguments: [
    "", "0", "0000000", "000000000", "E3069283", "e306928g", "+3069283", " e306928", "0xe30692", "e30692é",
  ])
  func otherTextIsRefused(_ text: String) {
    #expect(ChecksumDigits.parse(text.utf8) == nil)
  }
}
