package import Foundation

/// Reads and writes the files of results and pages; what fails names the file, and not the library that noticed.
package enum PageFile {
  /// Returns the contents of a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - content: What it should hold, for the error.
  /// - Throws: ``HarnessError``.
  package static func data(_ path: String, _ content: String) throws -> Data {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw HarnessError("there is no file '\(path)' with \(content)")
    }
    guard !isDirectory.boolValue, let data = FileManager.default.contents(atPath: path) else {
      throw HarnessError("'\(path)', which should hold \(content), cannot be read")
    }
    return data
  }

  /// The text that a file holds.
  ///
  /// - Throws: ``HarnessError``.
  package static func text(_ path: String, _ content: String) throws -> String {
    guard let text = String(data: try data(path, content), encoding: .utf8) else {
      throw HarnessError("'\(path)', which should hold \(content), is not text in UTF-8")
    }
    return text
  }

  /// Replaces what a file holds.
  ///
  /// - Throws: ``HarnessError``.
  package static func write(_ data: Data, _ path: String) throws {
    do { try data.write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
      throw HarnessError("'\(path)' cannot be written: \(error.localizedDescription)")
    }
  }
}
