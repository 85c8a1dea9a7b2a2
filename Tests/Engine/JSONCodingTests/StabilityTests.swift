import JSONCoding
import TestSupport
import Testing

/// Bytes do not depend on the process: Swift hashes with another seed in each.
///
/// The checksums change with the zoo, and with the standard library's way to draw random numbers; nothing else may change them.
@Suite struct StabilityTests {
  /// FNV-1a, 64 bits: enough to notice a change.
  private func checksum(_ bytes: [UInt8]) -> String {
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }

  @Test(
    arguments: [
      (1, "3e795a20d7908875", "54a644047e40a50d"), (2, "1f82b98e3f519fe9", "3b445bf76aa79541"),
      (3, "756ddf394ec44e0c", "981bddbca9d261ce"),
    ]
      as [(UInt64, String, String)])
  func zoosHaveTheBytesOfEarlierProcesses(seed: UInt64, declared: String, canonical: String) throws {
    var generator = SeededGenerator(seed: seed)
    let zoo = Zoo(using: &generator)
    let checksums = [
      checksum(try StrictJSONEncoder().encode(zoo)), checksum(try StrictJSONEncoder(form: .canonical).encode(zoo)),
    ]
    #expect(checksums == [declared, canonical])
  }
}
