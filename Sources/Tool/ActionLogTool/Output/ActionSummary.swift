/// What an action says, on a line: the values of its data without the names and braces around them, `Platypus, failure: no network`.
///
/// A row of a list shows which thing an action is about only if the first values are visible, and JSON spends the first 40 characters on
/// names. Texts stand alone, other values with their names, a UUID as its first eight digits, and a value only once. What an
/// answer calls a failure or an error is marked, so that it can be red, unless it is empty, `null`, `false` or 0.
package struct ActionSummary {
  /// Longer texts end in an ellipsis: a summary is read at a glance, and `show` prints the action.
  private static let textLimitBytes = 48
  /// The most values: a list of a million numbers says no more than its beginning.
  private static let valueLimit = 32
  /// The names of members whose value tells that something went wrong.
  private static let failures = ["failure", "error", "rejected", "refused"].map { name in Array(name.utf8) }

  /// The summary.
  package private(set) var bytes: [UInt8] = []
  /// Where it begins to tell of a failure; `nil` if it does not.
  package private(set) var failureStart: Int?
  private var seen: [[UInt8]] = []

  /// Makes a summary.
  ///
  /// - Parameters:
  ///   - data: Valid JSON. An imported line can have white space.
  ///   - limitBytes: The summary ends after the value with which it is longer than that, and no more than four times as much is read.
  /// - Complexity: O(`limitBytes`).
  package init(_ data: ArraySlice<UInt8>, limitBytes: Int) {
    var rest = data.prefix(4 * limitBytes)
    var name: ArraySlice<UInt8> = []
    var count = 0
    while bytes.count < limitBytes, count < Self.valueLimit, let byte = rest.first {
      switch byte {
      case UInt8(ascii: "\""):
        let text = Self.string(&rest)
        Self.skipSpace(&rest)
        if rest.first == UInt8(ascii: ":") {
          rest.removeFirst()
          Self.skipSpace(&rest)
          name = text
          beginFailure(named: text, rest)
        } else {
          count += 1
          add(Self.shortened(text))
        }
      case UInt8(ascii: "["):
        // The name is that of the whole list.
        (name, rest) = ([], rest.dropFirst())
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
        rest.removeFirst()
      case let byte where Self.isSpace(byte):
        rest.removeFirst()
      default:
        let value = rest.prefix { byte in !Self.isSpace(byte) && ![0x2C, 0x5D, 0x7D].contains(byte) }
        // What is no JSON makes no progress otherwise.
        rest = value.isEmpty ? rest.dropFirst() : rest[value.endIndex...]
        count += 1
        guard value.first != UInt8(ascii: "n") else { continue }
        let isNamed = !name.isEmpty && name.first != UInt8(ascii: "_") && !isFailure(name)
        add((isNamed ? name + [UInt8(ascii: " ")] : []) + value)
      }
    }
  }

  private func isFailure(_ name: ArraySlice<UInt8>) -> Bool {
    failureStart != nil && Self.failures.contains { failure in name.elementsEqual(failure) }
  }

  /// Notes a failure if the name is that of one and the value behind it says so.
  private mutating func beginFailure(named name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
    guard failureStart == nil, Self.failures.contains(where: { failure in name.elementsEqual(failure) }) else { return }
    let inner = value.dropFirst().first { byte in !Self.isSpace(byte) }
    switch value.first {
    case UInt8(ascii: "{"): guard inner != UInt8(ascii: "}") else { return }
    case UInt8(ascii: "["): guard inner != UInt8(ascii: "]") else { return }
    case UInt8(ascii: "\""): guard inner != UInt8(ascii: "\"") else { return }
    case UInt8(ascii: "0"), UInt8(ascii: "n"), UInt8(ascii: "f"), nil: return
    default: break
    }
    separate()
    failureStart = bytes.count
    bytes += name
  }

  private mutating func add(_ value: [UInt8]) {
    guard !value.isEmpty, !seen.contains(value) else { return }
    seen.append(value)
    separate()
    bytes += value
  }

  private mutating func separate() {
    guard !bytes.isEmpty else { return }
    // The first value behind the name of a failure says which.
    bytes +=
      failureStart.map { start in Self.failures.contains(Array(bytes[start...])) } == true ? ": ".utf8 : ", ".utf8
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func skipSpace(_ rest: inout ArraySlice<UInt8>) { rest = rest.drop(while: isSpace) }

  /// Takes a string and its quotes.
  ///
  /// - Returns: Its bytes; escapes stay, except those of quotes and backslashes.
  private static func string(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text: [UInt8] = []
    rest.removeFirst()
    while true {
      guard let byte = rest.popFirst() else {
        // The part that is read may end within a character.
        while let last = text.last, last >= 0x80 { text.removeLast() }
        break
      }
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
        if ![UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/")].contains(escaped) { text.append(byte) }
        text.append(escaped)
      } else {
        text.append(byte)
      }
    }
    return text[...]
  }

  private static func shortened(_ text: ArraySlice<UInt8>) -> [UInt8] {
    if isUUID(text) { return Array(text.prefix(8)) + "…".utf8 }
    guard text.count > textLimitBytes else { return Array(text) }
    // Not within a character.
    var end = text.startIndex + textLimitBytes
    while text[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(text[..<end]) + "…".utf8
  }

  private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
    text.count == 36
      && zip(text, 0...).allSatisfy { byte, index in
        [8, 13, 18, 23].contains(index)
          ? byte == UInt8(ascii: "-") : Character(UnicodeScalar(byte)).isHexDigit
      }
  }

  /// The summary as text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
