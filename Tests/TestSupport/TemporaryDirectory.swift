import Foundation

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
