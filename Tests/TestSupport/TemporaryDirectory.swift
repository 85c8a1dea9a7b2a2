package import Foundation

/// A directory for one test, with a unique name. It is removed with its contents when the value is deinitialized.
public final class TemporaryDirectory: Sendable {
  /// The absolute path, without a trailing `/`.
  public let path: String

  /// Creates the directory in the system's temporary directory.
  public init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("actionlog-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    // The temporary directory can be a symbolic link (`/tmp` on macOS).
    path = url.resolvingSymlinksInPath().path
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("the temporary directory is not removed: \(path): \(error)")
    }
  }

  /// Returns the path of a name in the directory.
  public func path(_ name: String) -> String { path + "/" + name }
}

/// The checkout that the tests were compiled from.
package enum PackageFolder {
  /// The folder of `Package.swift`.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of each target, by its name: `ActionLog` is in `Sources/Engine/ActionLog`.
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

  /// Returns the folder of a target; `nil` if there is no such target.
  package static func folder(ofTarget name: String) -> URL? {
    targets[name]
  }

  private static func subfolders(of folder: URL) -> [URL] {
    do {
      return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
        .filter(\.hasDirectoryPath)
    } catch {
      preconditionFailure("the tests read their own checkout: \(error)")
    }
  }
}
