import ActionLogTool
import Foundation
import JSONCoding
import TestSupport
import Testing
import TimeTravel

@Suite struct UnifiedDiffTests {
  @Test func hunksCarryContextAndLineNumbers() throws {
    let text = try diff(
      #"{"a":[1,2,3,4,5,6,7,8,9,10,11,12],"b":1}"#, #"{"a":[1,2,30,4,5,6,7,8,9,10,11,12],"b":2,"c":3}"#
    ).unified(oldName: "a/state", newName: "b/state")
    #expect(
      text
        == """
        --- a/state
        +++ b/state
        @@ -2,7 +2,7 @@
           "a": [
             1,
             2,
        -    3,
        +    30,
             4,
             5,
             6,
        @@ -13,5 +13,6 @@
             11,
             12
           ],
        -  "b": 1
        +  "b": 2,
        +  "c": 3
         }

        """)
  }

  @Test func equalStatesHaveNoText() throws {
    #expect(try diff("[1]", "[1]").unified() == "")
  }

  @Test func lengthsOfOneAreOmitted() throws {
    #expect(try diff("1", "2").unified() == "--- old\n+++ new\n@@ -1 +1 @@\n-1\n+2\n")
  }

  @Test func insertionWithoutContextNamesItsLine() throws {
    #expect(try diff("[1,3]", "[1,2,3]").unified(context: 0) == "--- old\n+++ new\n@@ -2,0 +3 @@\n+  2,\n")
    #expect(try diff("[1,2,3]", "[1,3]").unified(context: 0) == "--- old\n+++ new\n@@ -3 +2,0 @@\n-  2,\n")
  }

  @Test(.enabled(if: Self.patchProgram != nil, "needs patch(1)"), arguments: 0..<60)
  func patchAppliesIt(seed: UInt64) throws {
    let program = try #require(Self.patchProgram)
    var generator = JSONGenerator(seed: seed)
    let old = StateTree(generator.value(depth: 6))
    let new = StateTree(generator.changing(old.root))
    let context = generator.number(in: 0..<5)
    let text = StateDiff(from: old, to: new).unified(context: context)
    guard !text.isEmpty else { return }

    let directory = try TemporaryDirectory()
    try Data(old.rendered().utf8).write(to: URL(fileURLWithPath: directory.path("state")))
    try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path("patch")))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["--quiet", "--fuzz=0", directory.path("state"), directory.path("patch")]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "seed \(seed)")
    let patched = try Data(contentsOf: URL(fileURLWithPath: directory.path("state")))
    #expect(String(decoding: patched, as: UTF8.self) == new.rendered(), "seed \(seed)")
  }

  private static let patchProgram: String? = ["/usr/bin/patch", "/usr/local/bin/patch"].first { path in
    FileManager.default.isExecutableFile(atPath: path)
  }
}
