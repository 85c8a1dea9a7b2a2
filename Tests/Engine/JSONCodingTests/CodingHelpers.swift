import JSONCoding
import TestSupport

/// The text of a value, as an action or a state is written.
func text<Value: Encodable>(_ value: Value, _ form: JSONForm = .declared) throws -> String {
  String(decoding: try StrictJSONEncoder(form: form).encode(value), as: UTF8.self)
}

extension StrictJSONEncoder {
  /// Encodes a value and returns the enum cases in which it is nested.
  func encodeWithCasePath<Value: Encodable>(
    _ value: Value
  ) throws -> (bytes: [UInt8], casePath: [(key: String, content: Range<Int>)]) {
    try withEncoded(value) { bytes, steps in (Array(bytes), steps.map { step in (step.name, step.content) }) }
  }
}

/// The value of a text.
func value<Value: Decodable>(_ type: Value.Type = Value.self, _ text: String) throws -> Value {
  try StrictJSONDecoder().decode(type, from: Array(text.utf8))
}

/// A type that encodes itself as a closure says.
struct Encoded: Encodable {
  let body: (any Encoder) throws -> Void

  init(_ body: @escaping (any Encoder) throws -> Void) {
    self.body = body
  }

  func encode(to encoder: any Encoder) throws {
    try body(encoder)
  }
}
