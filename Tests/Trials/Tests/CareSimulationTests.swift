import ActionLog
import ActionLogTesting
import Testing
import TrialKit

@Suite("The target of a copy", .timeLimit(.minutes(60)))
struct CareSimulationTests {
  /// Returns a disk with a log of three actions at the target.
  private func disk() throws -> (MemoryFileSystem, segment: String) {
    let disk = MemoryFileSystem()
    let writer = try LogWriter.open(
      at: CareSimulation.target, model: "counter", schema: 1, fileSystem: disk,
      configuration: LogConfiguration(environment: .simulated()))
    for number in 1...3 { try writer.appendNow([LogDraft(type: "add", data: Array(#"{"n":\#(number),"a":1}"#.utf8))]) }
    try writer.closeNow()
    return (disk, CareSimulation.target + "/0000000000000001.jsonl")
  }

  private let wanted = CareWanted(actions: (1...3).map { number in Array(#"{"n":\#(number),"a":1}"#.utf8) })

  private func flaw(_ disk: MemoryFileSystem, mustBeThere: Bool = false) -> String? {
    CareSimulation.flaw(at: disk, wanted, mustBeThere: mustBeThere)
  }

  @Test func completeCopyOrNoneIsAccepted() throws {
    let (disk, _) = try disk()
    #expect(flaw(disk, mustBeThere: true) == nil)
    #expect(flaw(MemoryFileSystem()) == nil)
    #expect(flaw(MemoryFileSystem(), mustBeThere: true) != nil)
  }

  @Test func otherActionsAreAFlaw() throws {
    let (disk, _) = try disk()
    var other = wanted
    other.actions[1] = Array(#"{"n":2,"a":2}"#.utf8)
    #expect(CareSimulation.flaw(at: disk, other, mustBeThere: true)?.contains("or with others") == true)
  }

  @Test func missingSetAsideLinesAreAFlaw() throws {
    let (disk, segment) = try disk()
    let line = try #require(try disk.contents(of: segment).split(separator: 10).last)
    let wanted = CareWanted(actions: wanted.actions, setAside: [Array(line)])
    #expect(CareSimulation.flaw(at: disk, wanted, mustBeThere: true)?.contains("1 lines were not set aside") == true)
    try disk.setContents(Array(line.dropLast(5)), of: CareSimulation.target + "/after-gap.jsonl")
    #expect(CareSimulation.flaw(at: disk, wanted, mustBeThere: true)?.contains("1 of 1 lines") == true)
    try disk.setContents(Array(line) + [10], of: CareSimulation.target + "/after-gap.jsonl")
    #expect(CareSimulation.flaw(at: disk, wanted, mustBeThere: true) == nil)
  }

  @Test func refusedCopyIsAFlaw() throws {
    let (disk, segment) = try disk()
    try disk.setContents(try disk.contents(of: segment).dropLast(), of: segment)
    #expect(flaw(disk) != nil, "HEAD knows of more")
  }

  @Test func unverifiedCopyIsAFlaw() throws {
    let (disk, segment) = try disk()
    try disk.setContents(try disk.contents(of: segment) + Array(#"{"seq":4"#.utf8), of: segment)
    #expect(flaw(disk)?.contains("torn") == true)
  }

  @Test func partialCopyIsAFlaw() throws {
    let (disk, segment) = try disk()
    let bytes = try disk.contents(of: segment)
    let end = bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { index in bytes[..<index].lastIndex(of: 10) ?? 0 }
    try disk.setContents(Array(bytes[...(end ?? 0)]), of: segment)
    try disk.remove(CareSimulation.target + "/HEAD")
    #expect(flaw(disk)?.contains("2 of 3") == true)
  }
}
