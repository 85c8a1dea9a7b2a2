import Foundation
import PackagePlugin

/// Adds `enum SourceFingerprint { static let value: String? = "…" }` to a target: a text that changes with every byte
/// of its sources, or of the sources of its dependencies in the same package.
///
/// Other packages are not covered: their versions are pinned in Package.resolved, and the digests in the log show
/// differing folds.
@main
struct SourceFingerprint: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
    guard let target = target as? SwiftSourceModuleTarget else { return [] }
    let output = context.pluginWorkDirectoryURL.appending(path: "SourceFingerprint.swift")
    var arguments = [output.path]
    var inputs: [URL] = []
    for module in Self.modules(of: target) {
      let directory = module.directoryURL.path
      // The output of this plugin is stored elsewhere, so it is not among the sources.
      let files = module.sourceFiles.map(\.url).filter { file in file.path.hasPrefix(directory) }
      arguments += ["--module", module.name, directory] + files.map(\.path).sorted()
      inputs += files
    }
    return [
      .buildCommand(
        displayName: "Fingerprint the sources of \(target.name)",
        executable: try context.tool(named: "source-fingerprint").url,
        arguments: arguments,
        inputFiles: inputs,
        outputFiles: [output])
    ]
  }

  /// Returns a target and its dependencies in its own package.
  private static func modules(of target: any SourceModuleTarget) -> [any SourceModuleTarget] {
    var found: [String: any SourceModuleTarget] = [target.name: target]
    var waiting: [any Target] = [target]
    while let next = waiting.popLast() {
      for case .target(let dependency) in next.dependencies {
        guard found[dependency.name] == nil, let module = dependency as? any SourceModuleTarget else { continue }
        found[dependency.name] = module
        waiting.append(dependency)
      }
    }
    return found.values.sorted { first, second in first.name < second.name }
  }
}
