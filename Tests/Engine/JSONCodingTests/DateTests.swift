import Foundation
import JSONCoding
import TestSupport
import Testing

/// Dates are exact, and never go by way of 1970.
@Suite struct DateTests {
  @Test(
    arguments: [
      (0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
      (86_399.999, "2001-01-01T23:59:59.999Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
      (817_462_800.123456, "2026-11-27T09:00:00.123456Z"), (-63_113_904_000, "0001-01-01T00:00:00Z"),
      (252_423_993_599, "9999-12-31T23:59:59Z"), (5_011_200, "2001-02-28T00:00:00Z"),
      (97_977_600, "2004-02-09T00:00:00Z"),
      (0.000000001, "2001-01-01T00:00:00.000000001Z"), (-0.000000001, "2000-12-31T23:59:59.999999999Z"),
    ] as [(Double, String)])
  func textsAreTheShortestExactOnes(seconds: Double, written: String) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(try text(date) == "\"\(written)\"")
    #expect(try value(Date.self, "\"\(written)\"") == date)
  }

  @Test(
    arguments: [
      (1e-10, "1e-10"), (252_423_993_600, "252423993600"), (-63_113_904_001, "-63113904001"), (1e300, "1e+300"),
      (.infinity, "\"Infinity\""), (1.0 / 3, "0.3333333333333333"),
    ] as [(Double, String)])
  func otherDatesAreSecondsSince2001(seconds: Double, written: String) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(try text(date) == written)
    #expect(try value(Date.self, written) == date)
  }

  @Test func everyDateReadsBackBitForBit() throws {
    var generator = SeededGenerator(seed: 2001)
    for _ in 0..<20_000 {
      let date = generator.date()
      let bytes = try StrictJSONEncoder().encode(date)
      let back = try StrictJSONDecoder().decode(Date.self, from: bytes)
      #expect(back == date, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test func calendarAgreesWithFoundation() throws {
    var generator = SeededGenerator(seed: 1582)
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    for _ in 0..<500 {
      let seconds = Int.random(in: -12_000_000_000...252_000_000_000, using: &generator)
      let date = Date(timeIntervalSinceReferenceDate: Double(seconds))
      let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
      let written = try value(String.self, text(date))
      let numbers = written.split { !$0.isNumber }.compactMap { Int($0) }
      #expect(numbers == [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second], "\(written)")
    }
  }

  @Test(
    arguments: [
      ("2001-01-01T01:00:00+01:00", 0), ("2000-12-31T23:30:00-00:30", 0), ("2001-01-01T00:00:00.000Z", 0),
      ("2001-01-01T00:00:00.1000000000000000055511151231257827Z", 0.1), ("2000-02-29T00:00:00Z", -26_524_800),
      ("2001-01-01t00:00:00z", 0), ("2001-01-01t01:00:00.5+01:00", 0.5),
    ] as [(String, Double)])
  func otherSpellingsAreRead(written: String, seconds: Double) throws {
    #expect(try value(Date.self, "\"\(written)\"").timeIntervalSinceReferenceDate == seconds)
  }

  @Test(arguments: [
    "", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01 00:00:00Z", "2001-1-1T00:00:00Z", "2001-02-29T00:00:00Z",
    "2001-13-01T00:00:00Z", "2001-00-01T00:00:00Z", "2001-01-00T00:00:00Z", "2001-04-31T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-01-01T00:00:60Z", "2001-01-01T00:00:00.Z",
    "2001-01-01T00:00:00.5", "2001-01-01T00:00:00ZZ", "2001-01-01T00:00:00+25:00", "2001-01-01T00:00:00+0100",
    "1900-02-29T00:00:00Z", "２001-01-01T00:00:00Z", "2001-01-01T00:00:00.1.2Z", "-001-01-01T00:00:00Z",
  ])
  func otherStringsAreRefused(written: String) {
    #expect(throws: DecodingError.self) { try value(Date.self, "\"\(written)\"") }
  }

  @Test(
    arguments: [
      ("2016-12-31T23:59:60Z", "the string names a leap second, which a Date cannot hold"),
      ("2016-12-31t23:59:60.25+01:00", "the string names a leap second, which a Date cannot hold"),
      ("2016-13-31T23:59:60Z", "the string is no date and time of RFC 3339"),
      ("2016-12-31 23:59:59Z", "the string is no date and time of RFC 3339"),
    ])
  func errorsNameTheFault(written: String, message: String) throws {
    let error = #expect(throws: DecodingError.self) { try value(Date.self, "\"\(written)\"") }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("the error is \(String(describing: error))")
      return
    }
    #expect((context.underlyingError as? JSONError)?.message == message)
  }
}
