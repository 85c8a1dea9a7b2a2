#if !canImport(SwiftUI)
import Foundation
import TestSupport
import Testing

/// Compiles code for SwiftUI with a substitute for SwiftUI, and runs a small application.
///
/// The substitute is not a target of the package, because `canImport(SwiftUI)` would then depend on the order of the build.
@Suite struct SwiftUITests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
  /// The folders of the modules below the application. The locks of Platform need no C.
  private static let sources = [
    ("Platform", "System/Platform/Locks"), ("ImmutableData", "Engine/ImmutableData"),
    ("ImmutableUI", "Engine/ImmutableUI"),
  ]

  /// The texts that the application shows after each tap.
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
  func applicationRunsBesideStandIn() async throws {
    let directory = try TemporaryDirectory()
    let toolchain = Toolchain(directory: directory.path)
    try await toolchain.compile(module: "SwiftUI", from: Self.tests.appending(path: "StandIn/SwiftUI"))
    for (module, folder) in Self.sources {
      try await toolchain.compile(module: module, from: PackageFolder.root.appending(path: "Sources/\(folder)"))
    }
    let program = try await toolchain.compile(
      program: "Program", from: Self.tests.appending(path: "StandIn/Program"),
      modules: ["SwiftUI"] + Self.sources.map(\.0))

    #expect(try await toolchain.run(program) == Self.story)

    let key = "com.northbronson.ImmutableUI.Debug"
    let lines = try await toolchain.run(program, ["-\(key)", "1"]).split(separator: "\n")
    let isNote = { (line: Substring) in line.hasPrefix("[ImmutableUI][AsyncListener]: 0x") }
    #expect(lines.filter { line in !isNote(line) }.joined(separator: "\n") + "\n" == Self.story)
    // Before the first drawing: the first output of two labeled selectors, and the dependencies of one of them.
    #expect(
      lines.prefix { line in isNote(line) }.map { line in line.split(separator: " ", maxSplits: 2).last } == [
        "Update: SelectScore(left)", "Update Output: SelectScore(left)",
        "Update: SelectSum", "Update Dependency: SelectSum", "Update Output: SelectSum",
      ])
    #expect(try await toolchain.run(program, ["-\(key)", "0"]) == Self.story)
  }

  /// Every name that both this package and Apple's modules declare is qualified. `.ci/standin` builds all targets.
  @Test(.enabled(if: Toolchain.compiler != nil, "swiftc is not where commands are looked for"))
  func samplesCompileBesideStandIn() async throws {
    let directory = try TemporaryDirectory()
    let modules = "\(directory.path)/modules"
    try await Toolchain(directory: directory.path)
      .run(PackageFolder.root.appending(path: ".ci/standin").path, ["--modules", modules])
    let packageName = PackageFolder.root.lastPathComponent.lowercased()
      .map { letter in letter.isLetter || letter.isNumber ? letter : "_" }
    let toolchain = Toolchain(directory: modules, packageName: String(packageName))
    let samples = ["Animals", "Counter", "FoodTruck", "Quakes"]
    let views = samples.flatMap { name in ["\(name)UI", "\(name)SwiftUI"] }
    for module in ["EventSourcing", "ImmutableUI", "DebugDrawer"] + views {
      let folder = try #require(PackageFolder.folder(ofTarget: module))
      try await toolchain.check(module: module, from: folder, builtIn: Executable.directory)
    }
  }
}
#endif
