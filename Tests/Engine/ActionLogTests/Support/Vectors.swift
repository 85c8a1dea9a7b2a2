import Foundation
import Testing

/// The test vectors, which were made from the format page with other tools.
enum Vectors {
  static func bytes(_ name: String, in folder: String? = nil) throws -> [UInt8] {
    let directory = "Fixtures/vectors" + (folder.map { folder in "/\(folder)" } ?? "")
    let url = try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: directory))
    return Array(try Data(contentsOf: url))
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(try bytes(name)))
  }
}
