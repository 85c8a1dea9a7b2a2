import Foundation
import SourceFingerprinting

/// `source-fingerprint OUTPUT (--module NAME DIRECTORY FILE …) …`: the tool that the plugin `SourceFingerprint` runs in
/// a build.
@main
struct SourceFingerprintTool {
  struct Misuse: Error {}

  static func main() throws {
    var words = CommandLine.arguments.dropFirst()
    guard let output = words.popFirst() else { throw Misuse() }
    var files: [SourceFingerprinting.File] = []
    var modules: [String] = []
    while let word = words.popFirst() {
      guard word == "--module", let module = words.popFirst(), let directory = words.popFirst() else { throw Misuse() }
      modules.append(module)
      while let path = words.first, path != "--module" {
        words.removeFirst()
        guard path.hasPrefix(directory) else { throw Misuse() }
        files.append(
          SourceFingerprinting.File(
            module: module, path: String(path.dropFirst(directory.count).drop { character in character == "/" }),
            bytes: Array(try Data(contentsOf: URL(fileURLWithPath: path)))))
      }
    }
    let code = SourceFingerprinting.code(SourceFingerprinting.text(of: files), modules: modules)
    // An unchanged file is not written, so that nothing is compiled again.
    if let old = FileManager.default.contents(atPath: output), old == Data(code.utf8) { return }
    try Data(code.utf8).write(to: URL(fileURLWithPath: output))
  }
}
