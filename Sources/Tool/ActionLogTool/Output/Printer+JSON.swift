package import JSONCoding
import TextDisplay
import TimeTravel

extension Printer {
  /// Prints a value on a line of its own.
  package func json(_ value: JSONValue) throws(ToolStreamError) {
    try jsonLine(value.bytes())
  }

  /// Prints the bytes of a JSON value on a line of its own.
  ///
  /// On a terminal, controls that JSON allows unescaped (delete and the C1 set) are escaped too; a program gets the
  /// bytes as they are.
  package func jsonLine(_ bytes: [UInt8]) throws(ToolStreamError) {
    if isTerminal {
      try line(TerminalText.escaping(String(decoding: bytes, as: UTF8.self)))
    } else {
      try write(bytes + [0x0A])
    }
  }
}

extension JSONValue {
  /// A whole number.
  static func integer(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
}
