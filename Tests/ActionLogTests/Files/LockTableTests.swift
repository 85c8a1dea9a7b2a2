import ActionLog
import Testing

@Suite("Table of locks")
struct LockTableTests {
  /// As `/proc/locks` shows it, with one process waiting and one of another container.
  private static let table = """
    1: POSIX  ADVISORY  WRITE 3548 fe:00:131203 1073741826 1073742335
    2: FLOCK  ADVISORY  WRITE 4711 fe:0a:131203 0 EOF
    2: -> FLOCK  ADVISORY  WRITE 4712 fe:0a:131204 0 EOF
    3: FLOCK  ADVISORY  READ 4713 fe:0a:131205 0 EOF
    4: FLOCK  ADVISORY  WRITE 0 fe:0a:131206 0 EOF
    5: FLOCK  ADVISORY  WRITE 4714 00:1f:18446744073709551615 0 EOF
    6: OFDLCK ADVISORY  WRITE -1 fe:0a:131207 0 EOF
    7: FLOCK  ADVISORY
    """

  @Test(
    arguments: [
      (0xFE, 0x0A, 131203, 4711), (0xFE, 0x00, 131203, nil), (0xFE, 0x0A, 131204, nil), (0xFE, 0x0A, 131205, nil),
      (0xFE, 0x0A, 131206, nil), (0, 0x1F, .max, 4714), (0xFE, 0x0A, 131207, nil), (0xFE, 0x0A, 1, nil),
    ] as [(UInt32, UInt32, UInt64, Int32?)])
  func theHolderIsFoundByDeviceAndInode(_ major: UInt32, _ minor: UInt32, _ inode: UInt64, _ holder: Int32?) {
    #expect(LockTable.holder(inTable: Self.table, major: major, minor: minor, inode: inode) == holder)
  }

  @Test(arguments: ["", "\n\n", "1:", "x y z FLOCK WRITE"])
  func whatIsNoTableNamesNobody(_ table: String) {
    #expect(LockTable.holder(inTable: table, major: 0, minor: 0, inode: 0) == nil)
  }
}
