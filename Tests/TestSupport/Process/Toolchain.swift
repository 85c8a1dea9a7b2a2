#if os(macOS) || os(Linux)
package import Foundation

/// The compiler of the toolchain, called outside the package's build.
package struct Toolchain: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// The path of the compiler, if it is in the search path.
  package static let compiler: String? =
    (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    .split(separator: ":").map { directory in "\(directory)/swiftc" }
    .first { path in FileManager.default.isExecutableFile(atPath: path) }

  /// The options of a debug build of the package.
  private static let settings = [
    "-swift-version", "6", "-warnings-as-errors", "-enable-upcoming-feature", "ExistentialAny",
    "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature", "MemberImportVisibility",
    "-D", "DEBUG", "-wmo", "-Onone",
  ]

  /// The directory of all products.
  package let directory: String
  /// The package of all modules.
  package var packageName: String

  /// Creates a compiler whose products are stored in a directory.
  package init(directory: String, packageName: String = "standin") {
    self.directory = directory
    self.packageName = packageName
  }

  /// Compiles the sources of a folder to a module that later ones can import.
  package func compile(module: String, from folder: URL) async throws {
    try await compile(
      [
        "-parse-as-library", "-module-name", module, "-c", "-o", "\(directory)/\(module).o",
        "-emit-module", "-emit-module-path", "\(directory)/\(module).swiftmodule",
      ] + sources(in: folder))
  }

  /// Type-checks the sources of a folder as on a Mac, with the modules in `directory` and those of the package's own build.
  ///
  /// - Parameter buildDirectory: The directory with the products of the package's build.
  package func check(module: String, from folder: URL, builtIn buildDirectory: URL) async throws {
    let header = buildDirectory.appending(path: "CSystem.build/module.modulemap")
    try await compile(
      [
        "-parse-as-library", "-module-name", module, "-emit-module", "-emit-module-path",
        "\(directory)/\(module).swiftmodule", "-I", buildDirectory.appending(path: "Modules").path,
        "-Xcc", "-fmodule-map-file=\(header.path)", "-Xfrontend", "-enable-cross-import-overlays",
      ] + sources(in: folder))
  }

  /// Type-checks files with the modules of the package's own build and that of manifests.
  ///
  /// - Parameter buildDirectory: The directory with the products of the package's build.
  /// - Throws: ``Failure`` with the messages of the compiler.
  package func check(files: [URL], builtIn buildDirectory: URL) async throws {
    try await compile(
      [
        "-typecheck", "-parse-as-library", "-module-name", "Checked", "-I",
        buildDirectory.appending(path: "Modules").path, "-I", try Self.manifestModules().path,
        "-package-description-version", "6.2", "-Xcc",
        "-fmodule-map-file=\(buildDirectory.appending(path: "CSystem.build/module.modulemap").path)",
      ] + files.map(\.path))
  }

  /// Compiles the sources of a folder to a program, with all modules that were compiled before.
  ///
  /// - Returns: The path of the program.
  package func compile(program: String, from folder: URL, modules: [String]) async throws -> String {
    let path = "\(directory)/\(program)"
    try await compile(
      ["-module-name", program, "-o", path] + sources(in: folder) + modules.map { name in "\(directory)/\(name).o" })
    return path
  }

  /// Runs a program.
  ///
  /// - Returns: What it printed.
  /// - Throws: ``Failure`` with its messages when it does not end with success.
  @discardableResult package func run(_ path: String, _ arguments: [String] = []) async throws -> String {
    let output = "\(directory)/output-\(UUID().uuidString)"
    guard FileManager.default.createFile(atPath: output, contents: nil) else {
      throw Failure(description: "cannot write \(output)")
    }
    let file = try FileHandle(forWritingTo: URL(filePath: output))
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = file
    process.standardError = file
    let status: Int32 = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { process in continuation.resume(returning: process.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    try file.close()
    let text = try String(contentsOfFile: output, encoding: .utf8)
    guard status == 0 else { throw Failure(description: "\(path) ended with \(status):\n\(text)") }
    return text
  }

  private func compile(_ arguments: [String]) async throws {
    guard let compiler = Self.compiler else { throw Failure(description: "there is no swiftc") }
    try await run(compiler, Self.settings + ["-package-name", packageName, "-I", directory] + arguments)
  }

  /// The folder with the module `PackageDescription`.
  private static func manifestModules() throws -> URL {
    guard let compiler else { throw Failure(description: "there is no swiftc") }
    return URL(filePath: compiler).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "../lib/swift/pm/ManifestAPI").standardized
  }

  private func sources(in folder: URL) throws -> [String] {
    let folder = folder.resolvingSymlinksInPath()
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { path in path.hasSuffix(".swift") }.sorted()
    guard !paths.isEmpty else { throw Failure(description: "there are no sources in \(folder.path)") }
    return paths.map { path in folder.appending(path: path).path }
  }
}
#endif
