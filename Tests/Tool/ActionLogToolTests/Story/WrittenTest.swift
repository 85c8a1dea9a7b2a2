import Foundation
import Platform
import TestSupport

/// A written test, compiled outside the package with the modules of this build, and run.
struct WrittenTest {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The result of a run.
  struct Outcome {
    var isPassed: Bool
    var output: String
  }

  /// The modules that a written test can need, without the model's.
  private static let modules = [
    "ActionLog", "ActionLogMaintenance", "EventSourcing", "ImmutableData", "JSONCoding", "TimeTravel",
    "TreeCollections",
    "Platform", "CSystem", "ActionLogTesting", "AnimalsData", "CounterData", "SampleSupport",
  ]

  private static let products = Bundle.main.bundleURL
  private static let root = PackageFolder.root

  /// The path of the compiler, if `PATH` has one.
  private static let compiler: URL? =
    (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    .split(separator: ":").map { directory in URL(fileURLWithPath: "\(directory)/swiftc") }
    .first { file in FileManager.default.isExecutableFile(atPath: file.path) }

  /// The toolchain's directory of macro plugins, which expand `@Test`.
  private static let plugins: URL? = compiler.map { compiler in
    compiler.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("lib/swift/host/plugins")
  }

  /// Whether there is a compiler, and modules for it.
  static var isPossible: Bool {
    plugins.map { folder in
      FileManager.default.fileExists(atPath: folder.appendingPathComponent("libTestingMacros.so").path)
    }
      == true
      && FileManager.default.fileExists(atPath: products.appendingPathComponent("Modules/TimeTravel.swiftmodule").path)
  }

  private let directory: TemporaryDirectory
  private let program: String

  /// Compiles a test.
  ///
  /// - Parameters:
  ///   - sources: The files, by their names.
  ///   - isMended: Whether the planted bug is mended in the model that is tested.
  private init(_ sources: [String: String], isMended: Bool) throws {
    directory = try TemporaryDirectory()
    program = directory.path("written-test")
    var objects: [String] = []
    if isMended {
      objects.append(try compileMendedModel())
    } else {
      objects += Executable.objects(ofTarget: "PlantedBug")
    }
    var files = try sources.map { name, source in
      let file = directory.path(name)
      try Data(source.utf8).write(to: URL(fileURLWithPath: file))
      return file
    }
    files.append(directory.path("main.swift"))
    let main = "import Testing\n\nawait Testing.__swiftPMEntryPoint() as Never\n"
    try Data(main.utf8).write(to: URL(fileURLWithPath: directory.path("main.swift")))
    objects += Self.modules.flatMap(Executable.objects(ofTarget:))
    try Self.compile(["-I", directory.path(""), "-o", program] + files + objects)
  }

  /// Compiles tests and runs them, on a thread that may wait.
  static func outcome(of sources: [String: String], isMended: Bool = false) async throws -> Outcome {
    try await BlockingWork.run { try WrittenTest(sources, isMended: isMended).run() }
  }

  private func run() throws -> Outcome {
    let (status, output) = try Self.run(URL(fileURLWithPath: program), ["--testing-library", "swift-testing"])
    return Outcome(isPassed: status == 0, output: output)
  }

  private func compileMendedModel() throws -> String {
    let object = directory.path("PlantedBug.o")
    try Self.compile([
      "-parse-as-library", "-module-name", "PlantedBug", "-D", "MENDED", "-c", "-o", object, "-emit-module",
      "-emit-module-path", directory.path("PlantedBug.swiftmodule"),
      Self.root.appendingPathComponent("Sources/Samples/PlantedBug/AnimalsWithBug.swift").path,
    ])
    return object
  }

  /// The name by which the build knows the package: its folder's, as an identifier.
  private static let packageName = String(
    root.lastPathComponent.lowercased().map { character in character.isLetter || character.isNumber ? character : "_" })

  private static func compile(_ arguments: [String]) throws {
    guard let compiler, let plugins else { throw Failure(description: "there is no swiftc") }
    let (status, output) = try run(
      compiler,
      [
        "-swift-version", "6", "-warnings-as-errors", "-enable-upcoming-feature", "ExistentialAny",
        "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature", "MemberImportVisibility",
        "-Onone", "-package-name", packageName, "-plugin-path", plugins.path,
      ] + (ThreadSanitizer.isWatching ? ["-sanitize=thread"] : []) + arguments + [
        "-I", products.appendingPathComponent("Modules").path,
        "-Xcc", "-fmodule-map-file=" + products.appendingPathComponent("CSystem.build/module.modulemap").path,
      ])
    guard status == 0 else { throw Failure(description: output) }
  }

  private static func run(_ program: URL, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }
}
