import Foundation
import Testing

/// Screens that are pinned in files. `UPDATE_GOLDEN=1 swift test` writes them anew; review the difference.
enum Golden {
  static func expect(_ text: String, is name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      let file = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Golden/\(name)")
      try Data(text.utf8).write(to: file)
      return
    }
    let file = Bundle.module.bundleURL.appendingPathComponent("Golden/\(name)")
    guard FileManager.default.fileExists(atPath: file.path) else {
      Issue.record("there is no golden file \(name); make it with UPDATE_GOLDEN=1", sourceLocation: sourceLocation)
      return
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text == expected, "UPDATE_GOLDEN=1 accepts it", sourceLocation: sourceLocation)
  }
}
