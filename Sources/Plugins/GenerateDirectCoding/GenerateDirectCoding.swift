import Foundation
import PackagePlugin

/// Generates the direct coding of a target's types.
///
/// The compiler describes the types while it builds the target, `direct-coding-generator` generates code from the
/// description, and the compiler checks the code. If a step fails, the file is restored.
@main
struct GenerateDirectCoding: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    var extractor = ArgumentExtractor(arguments)
    let names = extractor.extractOption(named: "target")
    let isCheck = extractor.extractFlag(named: "check") > 0
    guard !names.isEmpty, extractor.remainingArguments.isEmpty else {
      throw Failure("usage: swift package generate-direct-coding --target NAME … [--check]")
    }
    var levels = ["private", "internal"]
    for target in try context.package.targets(named: names) {
      guard let target = target as? SwiftSourceModuleTarget else {
        throw Failure("\(target.name) has no Swift sources")
      }
      var run = try Run(target: target, levels: levels, context: context, packageManager: packageManager)
      if isCheck { try run.check() } else { try run.generate() }
      // A module that all of them import is not compiled again at a level at which it failed.
      if run.failedOutside { levels = run.levels }
    }
  }
}

/// The run for one target.
private struct Run {
  private let target: SwiftSourceModuleTarget
  /// The folder of all targets: the compiler's options name it, and other options would compile every module again.
  private let common: URL
  private let tool: URL
  private let packageManager: PackageManager
  /// The access levels for the compiler's description; the first level at which it succeeds is used.
  ///
  /// Swift 6.3.1 reports a circular reference at `private` in some code that otherwise compiles;
  /// `Tests/Plugins/DirectZoo/ZooLoop.swift` contains such code.
  private(set) var levels: [String]
  /// Whether the first level failed in another target's sources.
  private(set) var failedOutside = false

  /// The maximum number of attempts to generate code without the types whose code did not compile.
  private static let attemptLimit = 16

  init(
    target: SwiftSourceModuleTarget, levels: [String], context: PluginContext, packageManager: PackageManager
  ) throws {
    self.target = target
    self.levels = levels
    self.packageManager = packageManager
    common = context.pluginWorkDirectoryURL
    tool = try context.tool(named: "direct-coding-generator").url
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    // The compiler describes the types that conform to these protocols.
    if !FileManager.default.fileExists(atPath: protocols.path) {
      try Data(#"["Swift.Encodable","Encodable","Decodable","CodingKey"]"#.utf8).write(to: protocols)
    }
    try Data().write(to: refused)
  }

  private var name: String { target.name }
  private var module: String { target.moduleName }
  private var output: URL { target.directoryURL.appending(path: "Generated/\(module)+DirectCoding.swift") }
  private var work: URL { common.appending(path: module) }
  /// The build folder. It contains a folder of all plugins, which contains the folder of this one.
  private var scratch: URL {
    var folder = common
    while folder.lastPathComponent != "plugins", folder.path != "/" { folder.deleteLastPathComponent() }
    return folder.deletingLastPathComponent()
  }
  private var protocols: URL { common.appending(path: "protocols.json") }
  private var refused: URL { work.appending(path: "refused") }
  private var log: URL { work.appending(path: "log") }
  private var graph: URL { common.appending(path: "graph") }

  mutating func check() throws {
    let result = try buildAtFirstLevel()
    guard result.succeeded else {
      throw Failure("\(name) does not compile; if its types have changed, generate again\n\(errors(result))")
    }
    guard try runTool(["--check"]) == .current else {
      throw Failure(
        "the direct coding of \(name) is stale: run 'swift package generate-direct-coding --target \(name)'")
    }
    print("\(module): the direct coding is current")
  }

  mutating func generate() throws {
    let old = FileManager.default.contents(atPath: output.path)
    do {
      // Code that was generated for other types may not compile.
      if old != nil { try Data().write(to: output) }
      let result = try buildAtFirstLevel()
      guard result.succeeded else { throw Failure("\(name) does not compile\n\(errors(result))") }
      try makeCode()
    } catch {
      if let old { try old.write(to: output) } else { try removeOutput() }
      throw error
    }
  }

  /// Generates code, and excludes types whose code does not compile.
  private func makeCode() throws {
    var arguments: [String] = []
    for _ in 0..<Run.attemptLimit {
      _ = try runTool(arguments)
      guard FileManager.default.fileExists(atPath: output.path) else { return }
      let result = try build()
      if result.succeeded { return }
      let known = FileManager.default.contents(atPath: refused.path)
      try Data(result.logText.utf8).write(to: log)
      arguments = ["--log", log.path]
      if try runTool(arguments) == .current || known == FileManager.default.contents(atPath: refused.path) {
        throw Failure(
          "the code made for \(name) does not compile; does the target depend on the product 'JSONCoding'?\n"
            + errors(result))
      }
      arguments = []
    }
    throw Failure("the code made for \(name) does not compile after \(Run.attemptLimit) attempts")
  }

  private func removeOutput() throws {
    guard FileManager.default.fileExists(atPath: output.path) else { return }
    try FileManager.default.removeItem(at: output)
  }

  /// Builds the target at the first level at which it compiles, and keeps this level.
  private mutating func buildAtFirstLevel() throws -> PackageManager.BuildResult {
    let first = try build()
    if first.succeeded { return first }
    let all = levels
    levels.removeFirst()
    while !levels.isEmpty {
      let result = try build()
      if result.succeeded {
        failedOutside = !errors(first).contains(target.directoryURL.path)
        print(
          "note: the compiler could describe \(name) at the access level '\(levels[0])' only (\(all[0]): "
            + "\(errors(first).split(separator: "\n").first ?? "no error")). "
            + "Not covered: private CodingKeys with code of their own. A type that has them is found out when the program tries "
            + "its code, and goes through Codable with every type that holds it.")
        return result
      }
      levels.removeFirst()
    }
    levels = all
    return first
  }

  private func build() throws -> PackageManager.BuildResult {
    var parameters = PackageManager.BuildParameters(configuration: .debug, logging: .concise)
    parameters.otherSwiftcFlags = [
      "-emit-const-values", "-Xfrontend", "-const-gather-protocols-file", "-Xfrontend", protocols.path,
      "-emit-symbol-graph", "-emit-symbol-graph-dir", graph.path, "-symbol-graph-minimum-access-level", levels[0],
    ]
    try FileManager.default.createDirectory(at: graph, withIntermediateDirectories: true)
    return try packageManager.build(.target(name), parameters: parameters)
  }

  private func errors(_ result: PackageManager.BuildResult) -> String {
    result.logText.split(separator: "\n").filter { $0.contains("error: ") }.joined(separator: "\n")
  }

  private enum Outcome {
    case current, changed
  }

  private func runTool(_ arguments: [String]) throws -> Outcome {
    if !arguments.contains("--check") {
      try FileManager.default.createDirectory(
        at: output.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    let process = Process()
    process.executableURL = tool
    process.arguments =
      [
        module, "--graph", graph.path, "--values", scratch.path, "--output", output.path, "--refused", refused.path,
      ] + arguments
    try process.run()
    process.waitUntilExit()
    switch process.terminationStatus {
    case 0: return .current
    case 2: return .changed
    default: throw Failure("no code could be made for \(name)")
    }
  }
}

/// A failure with its description.
private struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
