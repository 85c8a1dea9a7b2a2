#if os(macOS) || os(Linux)
import Foundation
import TestSupport
import Testing

/// The engine is usable with public names alone, and hides what is for the package only.
@Suite(
  "The interface for other packages",
  .enabled(if: Toolchain.compiler != nil, "swiftc is not where commands are looked for"))
struct ForeignPackageTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  /// Type-checks files as the sources of a package that is not this one.
  private func check(_ files: [URL]) async throws {
    let directory = try TemporaryDirectory()
    try await Toolchain(directory: directory.path, packageName: "foreign").check(
      files: files, builtIn: Executable.directory)
  }

  @Test(arguments: ["PublicInterfaceTests/EntryPointTests.swift", "ActionLogTestingTests/CrashExample.swift"])
  func entryPointsCompileInAnotherPackage(file: String) async throws {
    try await check([Self.tests.appending(path: file)])
  }

  /// A package that depends on the path of this one gets the settings of its manifest.
  @Test(arguments: [(["-u", "ACTIONLOG_WARNINGS_AS_ERRORS"], false), (["ACTIONLOG_WARNINGS_AS_ERRORS=1"], true)])
  func warningsAreErrorsOnRequest(environment: [String], areErrors: Bool) async throws {
    let directory = try TemporaryDirectory()
    let manifest = try await Toolchain(directory: directory.path).run(
      "/usr/bin/env",
      environment + [
        "swift", "package", "--package-path", PackageFolder.root.path, "--scratch-path", directory.path("build"),
        "dump-package",
      ])
    #expect(manifest.contains("treatAllWarnings") == areErrors)
  }

  /// Scripts that call the compiler themselves pass the flag. The check for another system, `availability`, looks for errors only.
  @Test func scriptsMakeWarningsErrors() throws {
    let folder = PackageFolder.root.appending(path: ".ci")
    var builders: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() where name != "availability" {
      // The folder of the site has what `documentation` compiles.
      guard name != "site" else { continue }
      let script = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      let compiles = script.contains(/\bswiftc [^\n]*-swift-version/)
      #expect(!compiles || script.contains("-warnings-as-errors"), "\(name)")
      guard script.contains(/\bswift (build|package|run|test)\b/) else { continue }
      builders.append(name)
      #expect(script.contains("\nexport ACTIONLOG_WARNINGS_AS_ERRORS=1\n"), "\(name)")
    }
    #expect(
      builders == [
        "conditions", "coverage", "debug-tests", "documentation", "generated", "picture", "run", "sanitize", "standin",
      ])
  }

  /// Hashing, counters and batches, by module.
  @Test(arguments: [
    ("ActionLog", ["CRC32C", "LineEncoder"]), ("ActionLogMaintenance", ["ShippingManifest"]),
    ("EventSourcing", ["SnapshotExamination"]),
    ("Platform", ["SHA256", "SHA256Digest"]),
    ("TimeTravel", ["CursorWork", "RecordMatcher", "StateProbe"]),
    ("ImmutableData", ["ActionCounter", "StreamCounts"]),
  ])
  func namesOfThePackageAreHidden(module: String, names: [String]) async throws {
    let directory = try TemporaryDirectory()
    let file = URL(filePath: directory.path("Hidden.swift"))
    let uses = names.map { name in "func use(_ value: \(module).\(name)) {}" }.joined(separator: "\n")
    try Data("import \(module)\n\n\(uses)\n".utf8).write(to: file)
    let failure = await #expect(throws: Toolchain.Failure.self) { try await check([file]) }
    let message = try #require(failure).description
    for name in names {
      let isHidden = ["'\(name)' is inaccessible", "no type named '\(name)'"].contains { text in message.contains(text)
      }
      #expect(isHidden, "\(module).\(name) is public: \(message)")
    }
  }
}
#endif
