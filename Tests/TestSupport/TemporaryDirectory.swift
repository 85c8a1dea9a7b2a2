package import Foundation

/// A directory of its own for one test: made with a unique name, removed with all it holds when the value goes.
public final class TemporaryDirectory: Sendable {
  /// The absolute path, without a `/` at its end.
  public let path: String

  /// Makes the directory under the system's place for temporary files.
  public init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("actionlog-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    // The system's place may itself be a symbolic link (`/tmp` on macOS).
    path = url.resolvingSymlinksInPath().path
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("temporary directory stays behind: \(path): \(error)")
    }
  }

  /// The path of something in the directory.
  public func path(_ name: String) -> String { path + "/" + name }
}

/// The checkout that the tests were compiled from.
package enum PackageFolder {
  /// The folder of `Package.swift`.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of each target, by the name of the folder: `ActionLog` is in `Sources/Engine/ActionLog`.
  private static let targets: [String: URL] = {
    var targets: [String: URL] = [:]
    for layers in ["Sources", "Sources/Samples", "Tests"] {
      for layer in subfolders(of: root.appending(path: layers)) {
        for target in subfolders(of: layer) { targets[target.lastPathComponent] = target }
      }
    }
    targets["SampleSupport"] = root.appending(path: "Sources/Samples/Support")
    targets["TrialTests"] = root.appending(path: "Tests/Trials/Tests")
    targets["FuzzingTests"] = root.appending(path: "Tests/Fuzzing/Tests")
    return targets
  }()

  /// The folder of a target; `nil` if there is no such target.
  package static func folder(ofTarget name: String) -> URL? {
    targets[name]
  }

  private static func subfolders(of folder: URL) -> [URL] {
    let contents = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.isDirectoryKey])
    return (contents ?? []).filter(\.hasDirectoryPath)
  }
}
