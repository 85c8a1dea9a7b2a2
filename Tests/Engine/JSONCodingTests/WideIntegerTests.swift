import JSONCoding
import Testing

/// Integers of 128 bits are coded as other integers are: every digit, and nothing that does not fit.
@Suite struct WideIntegerTests {
  static let most = "340282366920938463463374607431768211455"
  static let least = "-170141183460469231731687303715884105728"

  @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  struct Wide: Codable, Equatable {
    var id: UInt128
    var balance: Int128?
  }

  @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  @Test func everyDigitIsWrittenAndRead() throws {
    let wide = Wide(id: .max, balance: .min)
    #expect(try text(wide) == #"{"id":\#(Self.most),"balance":\#(Self.least)}"#)
    #expect(try value(Wide.self, text(wide)) == wide)
    #expect(try value(Wide.self, #"{"id":0,"balance":null}"#) == Wide(id: 0))
    #expect(try value(Wide.self, #"{"id":7}"#) == Wide(id: 7))
    #expect(try text([UInt128.max, 0]) == "[\(Self.most),0]")
    #expect(try text(Int128.min) == Self.least)
    #expect(
      try text(
        Encoded { encoder in
          var container = encoder.unkeyedContainer()
          try container.encode(Int128.min)
          try container.encode(UInt128.max)
        }) == "[\(Self.least),\(Self.most)]")
  }

  @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  @Test func otherSpellingsAreRead() throws {
    #expect(
      try value([Int128].self, "[1.0,1e2,-0,0.0e99999999999,1.5e30,-12e-0]") == [1, 100, 0, 0, 15 * power(29), -12])
    #expect(try value([UInt128].self, "[\(Self.most).0,18446744073709551616]") == [.max, 1 << 64])
    #expect(try value(UInt128.self, "-0") == 0)
    #expect(try value(Int128.self, "12345678901234567890123.4500e2") == 1_234_567_890_123_456_789_012_345)
  }

  @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  private func power(_ exponent: Int) -> Int128 {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  @Test(arguments: [
    "1.5", "340282366920938463463374607431768211456", "-1", "1e39", "1e999999999999999999999", "1e-1",
    "12345678901234567890123.45e1", "\"1\"", "true", "null",
  ])
  func whatDoesNotFitIsRefused(number: String) {
    #expect(throws: DecodingError.self) { try value(UInt128.self, number) }
    #expect(throws: DecodingError.self) { try value([UInt128].self, "[\(number)]") }
    #expect(throws: DecodingError.self) { try value(Wide.self, #"{"id":\#(number)}"#) }
  }

  @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  @Test func errorsSayWhere() throws {
    let error = #expect(throws: DecodingError.self) { try value(Wide.self, #"{"id":1,"balance":\#(Self.most)}"#) }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("the number was out of range, but the error is \(String(describing: error))")
      return
    }
    let place = JSONError(
      .numberOutOfRange, "the number is not exactly one of Int128", byteOffset: 18, path: JSONPointer(["balance"]))
    #expect(context.underlyingError as? JSONError == place)
  }

  @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  @Test func numbersAsTextsHoldThem() throws {
    #expect(JSONNumber(UInt128.max).text == Self.most)
    #expect(JSONNumber(Self.least)?.integer(Int128.self) == .min)
    #expect(JSONNumber(Self.most)?.integer(Int128.self) == nil)
  }
}
