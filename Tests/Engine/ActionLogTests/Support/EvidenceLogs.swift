import ActionLog
import ActionLogTesting
import Foundation
import Testing

/// The logs with salts and redactions that an independent program made from the format page.
enum EvidenceLogs {
  private static let folder = "Fixtures/Evidence"

  /// Returns the bytes of a file.
  static func bytes(_ path: String) throws -> [UInt8] {
    let url = try #require(Bundle.module.url(forResource: folder, withExtension: nil))
    return Array(try Data(contentsOf: url.appendingPathComponent(path)))
  }

  /// Returns the names in a folder.
  static func names(_ path: String) throws -> [String] {
    let url = try #require(Bundle.module.url(forResource: folder, withExtension: nil))
    return try FileManager.default.contentsOfDirectory(atPath: url.appendingPathComponent(path).path).sorted()
  }

  /// Returns a log in memory.
  ///
  /// - Parameter path: The folder of the log, such as `redactable/before`.
  static func story(_ path: String) throws -> LogStory {
    let story = LogStory()
    for name in try names(path) {
      if name == LogFormat.snapshotsName {
        for file in try names(path + "/" + name) {
          try story.files.setContents(bytes("\(path)/\(name)/\(file)"), of: "\(LogStory.path)/\(name)/\(file)")
        }
      } else {
        try story.files.setContents(bytes(path + "/" + name), of: LogStory.path + "/" + name)
      }
    }
    return story
  }
}
