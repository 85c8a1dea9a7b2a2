/// What an action says, on a line: the values of its data without the names and braces around them, `Platypus, failure: no network`.
///
/// A row of a list shows which thing an action is about only if the first values are visible, and JSON spends the first 40 characters on
/// names. Texts stand alone, other values with their names, a UUID as its first eight digits, and a value only once. What an
/// answer calls a failure or an error is marked, so that it can be red.
package struct ActionSummary {
  /// Longer texts end in an ellipsis: a summary is read at a glance, and `show` prints the action.
  private static let textLimitBytes = 48
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
  ///   - data: Valid JSON without white space, as a line of a log has it.
  ///   - limitBytes: The summary ends after the value with which it is longer than that.
  /// - Complexity: O(length of the part of `data` that it needs).
  package init(_ data: ArraySlice<UInt8>, limitBytes: Int) {
    var rest = data
    var name: ArraySlice<UInt8> = []
    while bytes.count < limitBytes, let byte = rest.first {
      switch byte {
      case UInt8(ascii: "\""):
        let text = Self.string(&rest)
        if rest.first == UInt8(ascii: ":") {
          name = text
          if failureStart == nil, Self.failures.contains(where: { failure in text.elementsEqual(failure) }) {
            separate()
            failureStart = bytes.count
            bytes += text
          }
        } else {
          add(Self.shortened(text))
        }
      case UInt8(ascii: "["):
        // The name is that of the whole list.
        (name, rest) = ([], rest.dropFirst())
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","),
        UInt8(ascii: ":"):
        rest.removeFirst()
      default:
        let end = rest.firstIndex { byte in [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(byte) }
        let value = rest[..<(end ?? rest.endIndex)]
        rest = rest[value.endIndex...]
        if value.first != UInt8(ascii: "n") {
          add((name.isEmpty || name.first == UInt8(ascii: "_") ? [] : name + [UInt8(ascii: " ")]) + value)
        }
      }
    }
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

  /// Takes a string and its quotes.
  ///
  /// - Returns: Its bytes; escapes stay, except those of quotes and backslashes.
  private static func string(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text: [UInt8] = []
    rest.removeFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
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
        [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : Character(UnicodeScalar(byte)).isHexDigit
      }
  }

  /// The summary as text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
