#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension DirectWriter {
  mutating func date(_ date: Date) {
    let seconds = date.timeIntervalSinceReferenceDate
    guard let text = DateText(secondsSince2001: seconds) else { return double(seconds) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    text.append(to: &bytes)
    literal("\"")
    append(bytes)
    literal("\"")
  }

  mutating func data(_ data: Data) {
    string(data.base64EncodedString())
  }

  mutating func url(_ url: URL) {
    string(url.absoluteString)
  }

  mutating func uuid(_ uuid: UUID) {
    string(uuid.uuidString)
  }

  mutating func decimal(_ decimal: Decimal) {
    string(decimal.description)
  }
}

extension DirectReader {
  mutating func date() throws(DirectMismatch) -> Date {
    guard next < end, next.pointee == UInt8(ascii: "\""), left > 1, next[1] &- 0x30 < 10 else {
      return Date(timeIntervalSinceReferenceDate: try double())
    }
    guard let seconds = DateText.secondsSince2001(parsing: Array(try string().utf8)) else { throw DirectMismatch() }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  mutating func data() throws(DirectMismatch) -> Data {
    guard let data = Data(base64Encoded: try string()) else { throw DirectMismatch() }
    return data
  }

  mutating func url() throws(DirectMismatch) -> URL {
    guard let url = URL(string: try string()) else { throw DirectMismatch() }
    return url
  }

  mutating func uuid() throws(DirectMismatch) -> UUID {
    guard let uuid = UUID(uuidString: try string()) else { throw DirectMismatch() }
    return uuid
  }

  mutating func decimal() throws(DirectMismatch) -> Decimal {
    let text = try string()
    if text == "NaN" { return .nan }
    // Foundation reads a prefix and ignores the rest.
    guard JSONDecimal.isNumber(text), let value = Decimal(string: text), value.isFinite else { throw DirectMismatch() }
    return value
  }
}
