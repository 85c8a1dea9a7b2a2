import Foundation
import JSONCoding
import Testing

/// The forms of numbers and strings, compared with other tools.
@Suite struct VectorTests {
  private static func vectors(_ name: String) throws -> [JSONValue] {
    let url = try #require(
      Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures/vectors"))
    guard case .array(let vectors) = try JSONValue(parsing: [UInt8](Data(contentsOf: url))) else {
      throw JSONError(.unexpectedByte, "the vectors are no array")
    }
    return vectors
  }

  private static func string(_ value: JSONValue, _ name: String) throws -> String {
    guard case .string(let text)? = value[JSONPointer([name])] else {
      throw JSONError(.unexpectedByte, "a vector lacks \(name)")
    }
    return text
  }

  @Test func doublesAreWrittenInTheFormOfRFC8785() throws {
    for vector in try VectorTests.vectors("doubles") {
      let bits = try #require(UInt64(VectorTests.string(vector, "bits"), radix: 16))
      let written = try VectorTests.string(vector, "written")
      var output: [UInt8] = []
      JSONText.append(Double(bitPattern: bits), to: &output)
      #expect(String(decoding: output, as: UTF8.self) == written)
      #expect(JSONNumber(written)?.double.bitPattern == bits)
    }
  }

  @Test func stringsAreWrittenWithFewEscapes() throws {
    for vector in try VectorTests.vectors("strings") {
      guard case .array(let points)? = vector[JSONPointer(["codepoints"])] else {
        Issue.record("a vector lacks its code points")
        continue
      }
      var text = ""
      for case .number(let number) in points {
        text.unicodeScalars.append(try #require(number.integer(UInt32.self).flatMap(Unicode.Scalar.init)))
      }
      let written = try VectorTests.string(vector, "written")
      var output: [UInt8] = []
      JSONText.appendString(text, to: &output)
      #expect(output == Array(written.utf8))
      #expect(try JSONValue(parsing: output) == .string(text))
    }
  }

  @Test func doublesOfEveryMagnitudeReadBack() {
    for exponent in -1074...1023 {
      for factor in [1.0, 1.1, 1.9999999999999998] {
        let value = factor * Double(sign: .plus, exponent: exponent, significand: 1)
        var output: [UInt8] = []
        JSONText.append(value, to: &output)
        let text = String(decoding: output, as: UTF8.self)
        #expect(JSONNumber(text)?.double == value, "\(text)")
        #expect(Double(text) == value, "\(text)")
      }
    }
  }
}
