import DirectCodingGenerator
import Foundation
import TestSupport

/// The compiler, run on sources in a separate folder with the modules of this build.
struct Compiler {
  private let directory: TemporaryDirectory
  private var folder: URL { URL(fileURLWithPath: directory.path) }

  /// The root of the package.
  static let root = PackageFolder.root

  /// The folder of the build's modules and objects.
  private static let products = Bundle.main.bundleURL
  private static var modules: URL { products.appending(path: "Modules") }

  /// The package name in the build: the name of its folder as an identifier.
  private static let packageName = String(
    root.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

  /// Whether a compiler and its modules are available.
  static var isThere: Bool {
    guard FileManager.default.fileExists(atPath: modules.appending(path: "JSONCoding.swiftmodule").path) else {
      return false
    }
    do {
      _ = try start(["--version"])
      return true
    } catch {
      return false
    }
  }

  init() throws {
    directory = try TemporaryDirectory()
  }

  static func sources(below folder: URL) throws -> [URL] {
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0) }
  }

  func write(_ text: String, _ name: String) throws -> URL {
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file
  }

  /// Generates code for sources, which the compiler describes at an access level.
  func generate(
    module: String, level: String = "private", _ sources: [URL], replacing old: String = ""
  ) throws -> Generator {
    let protocols = try write(#"["Swift.Encodable","Encodable","Decodable","CodingKey"]"#, "protocols.json")
    let values = folder.appending(path: "\(module).swiftconstvalues")
    try compile(
      module,
      [
        "-c", "-wmo", "-o", folder.appending(path: "\(module).o").path, "-emit-const-values",
        "-emit-const-values-path", values.path, "-Xfrontend", "-const-gather-protocols-file", "-Xfrontend",
        protocols.path, "-emit-module", "-emit-module-path", folder.appending(path: "\(module).swiftmodule").path,
        "-emit-symbol-graph", "-emit-symbol-graph-dir", folder.path, "-symbol-graph-minimum-access-level", level,
        "-parse-as-library",
      ] + sources.map(\.path))
    return try Generator(
      module: module, symbolGraph: Data(contentsOf: folder.appending(path: "\(module).symbols.json")),
      constantValues: [Data(contentsOf: values)], replacing: old)
  }

  /// Compiles and runs a program.
  ///
  /// - Returns: Its output.
  func run(_ name: String, _ sources: [URL]) throws -> String {
    let program = folder.appending(path: name)
    try compile(name, ["-o", program.path] + sources.map(\.path) + Executable.objects(ofTarget: "JSONCoding"))
    return try Compiler.start([], program: program.path)
  }

  private func compile(_ module: String, _ arguments: [String]) throws {
    _ = try Compiler.start(
      [
        "-module-name", module, "-swift-version", "6", "-DDEBUG", "-enable-upcoming-feature", "ExistentialAny",
        "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature", "MemberImportVisibility",
        "-package-name", Compiler.packageName, "-I", Compiler.modules.path,
        "-Xcc", "-fmodule-map-file=" + Compiler.products.appending(path: "CSystem.build/module.modulemap").path,
      ] + (ThreadSanitizer.isWatching ? ["-sanitize=thread"] : []) + arguments)
  }

  private static func start(_ arguments: [String], program: String? = nil) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program ?? "/usr/bin/env")
    process.arguments = (program == nil ? ["swiftc"] : []) + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(description: output) }
    return output
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}

/// The seeds of all suites of generated code.
enum DirectSuite {
  /// The seeds of property tests; a failure names its seed.
  static let seeds: [UInt64] = [1, 2, 3, 4]
}
