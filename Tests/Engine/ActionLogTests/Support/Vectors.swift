import Foundation
import Testing

/// The test vectors, which were made from the format page with other tools.
enum Vectors {
  /// Returns the bytes of a file.
  ///
  /// - Parameter set: The folder of the fixtures.
  static func bytes(_ name: String, in folder: String? = nil, of set: String = "vectors") throws -> [UInt8] {
    let directory = "Fixtures/\(set)" + (folder.map { folder in "/\(folder)" } ?? "")
    let url = try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: directory))
    return Array(try Data(contentsOf: url))
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ name: String, of set: String = "vectors") throws -> Value {
    let parts = name.split(separator: "/").map(String.init)
    let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") : nil
    return try JSONDecoder().decode(type, from: Data(try bytes(parts.last ?? "", in: folder, of: set)))
  }
}
