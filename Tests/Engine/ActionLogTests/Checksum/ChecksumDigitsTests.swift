import ActionLog
import Testing

@Suite("Digits of a check")
struct ChecksumDigitsTests {
  @Test(arguments: [(UInt32(0), "00000000"), (0xE306_9283, "e3069283"), (0x0000_0A0B, "00000a0b"), (.max, "ffffffff")])
  func digitsAreEightAndLowerCase(_ checksum: UInt32, _ text: String) {
    var bytes = Array("x".utf8)
    ChecksumDigits.append(checksum, to: &bytes)
    #expect(bytes == Array("x\(text)".utf8))
    #expect(ChecksumDigits.text(checksum) == text)
    #expect(ChecksumDigits.parse(text.utf8) == checksum)
  }

  @Test(arguments: [
    "", "0", "0000000", "000000000", "E3069283", "e306928g", "+3069283", " e306928", "0xe30692", "e30692é",
  ])
  func anythingElseIsRefused(_ text: String) {
    #expect(ChecksumDigits.parse(text.utf8) == nil)
  }
}
