#if !canImport(SwiftUI)
import Foundation
import TestSupport
import Testing

/// The SwiftUI files are compiled where there is no SwiftUI, with a stand-in for it, and a small application runs on them.
///
/// The stand-in is no target of the package: `canImport(SwiftUI)` would then depend on the order of the build.
@Suite struct SwiftUITests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
  private static let sources = tests.deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

  /// What the application shows after each tap.
  private static let story = """
    left 0; sum 0
    left 1; sum 1, ahead by 1
    left 2; sum 2, ahead by 1
    right 0; sum 2, ahead by 2
    right 1; sum 2
    right 1; sum 4, ahead by 2
    right 1; sum 5, ahead by 2
    refused
    right 1; sum 5, ahead by 2

    """

  @Test(.enabled(if: Toolchain.compiler != nil, "swiftc is not where commands are looked for"))
  func anApplicationIsCompiledAndRunsWithAStandInForSwiftUI() async throws {
    let directory = try TemporaryDirectory()
    let toolchain = Toolchain(directory: directory.path)
    try await toolchain.compile(module: "SwiftUI", from: Self.tests.appending(path: "StandIn/SwiftUI"))
    let modules = ["Locking", "ImmutableData", "ImmutableUI"]
    for module in modules {
      try await toolchain.compile(module: module, from: Self.sources.appending(path: module))
    }
    let program = try await toolchain.compile(
      program: "Program", from: Self.tests.appending(path: "StandIn/Program"), modules: ["SwiftUI"] + modules)

    #expect(try await toolchain.run(program) == Self.story)

    let key = "com.northbronson.ImmutableUI.Debug"
    let lines = try await toolchain.run(program, ["-\(key)", "1"]).split(separator: "\n")
    let isNote = { (line: Substring) in line.hasPrefix("[ImmutableUI][AsyncListener]: 0x") }
    #expect(lines.filter { line in !isNote(line) }.joined(separator: "\n") + "\n" == Self.story)
    // Before the first picture: the first output of two labelled selectors, and the dependencies of one of them.
    #expect(
      lines.prefix { line in isNote(line) }.map { line in line.split(separator: " ", maxSplits: 2).last } == [
        "Update: SelectScore(left)", "Update Output: SelectScore(left)",
        "Update: SelectSum", "Update Dependency: SelectSum", "Update Output: SelectSum",
      ])
    #expect(try await toolchain.run(program, ["-\(key)", "0"]) == Self.story)
  }
}
#endif
