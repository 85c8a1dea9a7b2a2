package import JSONCoding
import Platform
import TerminalUI
import TimeTravel

/// A buffered output stream with the style of its reader. Lines are collected to save system calls; a terminal gets each at once.
package final class Printer: Sendable {
  /// Large enough to make the cost of a call irrelevant, and small enough to keep the reader of a pipe busy.
  private static let bufferLimitBytes = 64 * 1024

  package let style: Style
  package let isTerminal: Bool
  private let output: any ToolOutput
  /// The output, if it takes values instead of text.
  private let values: (any ValueOutput)?
  private let buffer = Locked(Buffer())
  /// A step that prepares the terminal, which this printer shares with another one.
  private let preparation = Locked<Preparation?>(nil)
  private let answer = Locked<BoundedAnswer?>(nil)

  private struct Buffer: Sendable {
    var bytes: [UInt8] = []
    var isHeld = false
  }

  /// What is held back for the time of a screen: a day of debug lines is some megabytes.
  private static let heldLimitBytes = 4 << 20

  private struct Preparation: Sendable {
    let run: @Sendable () throws(ToolStreamError) -> Void
  }

  init(_ output: any ToolOutput, isTerminal: Bool, style: Style) {
    self.output = output
    values = output as? any ValueOutput
    self.isTerminal = isTerminal
    self.style = style
  }

  package func line(_ text: String = "") throws(ToolStreamError) {
    var bytes = Array(text.utf8)
    bytes.append(0x0A)
    try write(bytes)
  }

  func line(of subject: String, _ text: String) throws(ToolStreamError) {
    try line("\(TerminalText.escaping(subject)): \(text)")
  }

  package func lines(_ texts: [String]) throws(ToolStreamError) {
    for text in texts { try line(text) }
  }

  package func write(_ bytes: [UInt8]) throws(ToolStreamError) { try write(bytes, endsLine: false) }

  fileprivate func write(_ bytes: [UInt8], endsLine: Bool) throws(ToolStreamError) {
    let isSafe = !isTerminal || bytes.allSatisfy { byte in byte < 0x7F }
    let bytes =
      isSafe ? bytes : Array(EscapedText.escaping(String(decoding: bytes, as: UTF8.self), keepsC0: true).utf8)
    let isFull = buffer.withLock { buffer -> Bool in
      buffer.bytes += bytes
      if endsLine { buffer.bytes.append(0x0A) }
      guard !buffer.isHeld else {
        if buffer.bytes.count > Self.heldLimitBytes {
          let rest = buffer.bytes.dropFirst(Self.heldLimitBytes / 2).drop { byte in byte != 0x0A }
          buffer.bytes = Array("(earlier messages are not shown)".utf8) + rest
        }
        return false
      }
      return isTerminal || buffer.bytes.count >= Self.bufferLimitBytes
    }
    if isFull { try flush() }
  }

  package func flush() throws(ToolStreamError) {
    let bytes = buffer.withLock { buffer -> [UInt8] in
      guard !buffer.isHeld else { return [] }
      defer { buffer.bytes = [] }
      return buffer.bytes
    }
    guard !bytes.isEmpty else { return }
    try preparation.withLock { preparation in preparation }?.run()
    try output.write(bytes)
  }

  func hold() { buffer.withLock { buffer in buffer.isHeld = true } }

  /// Prints what was held back, and the rest at once.
  func release() throws(ToolStreamError) {
    buffer.withLock { buffer in buffer.isHeld = false }
    try flush()
  }

  /// Sets the step to run before each write, in place of the previous one.
  func beforePrinting(_ action: @escaping @Sendable () throws(ToolStreamError) -> Void) {
    preparation.withLock { preparation in preparation = Preparation(run: action) }
  }
}

extension Printer {
  package func text(_ text: String) throws(ToolStreamError) {
    try write(Array(text.utf8))
  }

  package func json(_ value: JSONValue) throws(ToolStreamError) {
    guard let answer = boundedAnswer else { return try item(value) }
    if let part = answer.part(of: value) { try item(part) }
  }

  private func item(_ value: JSONValue) throws(ToolStreamError) {
    if let values { return try values.take(value) }
    try write(value.bytes(), endsLine: true)
  }

  /// Prints the bytes of a value on a line of its own, or the part of it within the bounds of the answer.
  func json(encoded bytes: [UInt8]) throws {
    if boundedAnswer == nil, values == nil { try jsonLine(bytes) } else { try json(JSONValue(parsing: bytes)) }
  }

  /// The bounds of the answer; `nil` without bounds.
  var boundedAnswer: BoundedAnswer? { answer.withLock { answer in answer } }

  func begin(_ answer: BoundedAnswer) {
    self.answer.withLock { current in current = answer }
  }

  func countAnswerLines() throws(ToolFailure) {
    try boundedAnswer?.countLines()
  }

  func endAnswer() throws {
    if let end = try boundedAnswer?.end() { try item(end) }
  }

  package func jsonLine(_ bytes: [UInt8]) throws(ToolStreamError) { try write(bytes, endsLine: true) }
}

extension JSONValue {
  package static func integer(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
}

package struct Style: Sendable {
  let isColored: Bool

  package init(isColored: Bool = false) { self.isColored = isColored }

  /// The codes of ECMA-48's "select graphic rendition". The sixteen basic colors follow the user's theme.
  private enum Code: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  package func bold(_ text: String) -> String { paint(text, .bold) }
  package func dim(_ text: String) -> String { paint(text, .dim) }
  package func red(_ text: String) -> String { paint(text, .red) }
  package func green(_ text: String) -> String { paint(text, .green) }
  package func yellow(_ text: String) -> String { paint(text, .yellow) }
  package func cyan(_ text: String) -> String { paint(text, .cyan) }

  private func paint(_ text: String, _ code: Code) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code.rawValue)m\(text)\u{1B}[0m" : text
  }
}

enum ColorChoice: String, Sendable {
  case auto, always, never
}

extension ParsedArguments {
  /// The choice of color. `--no-color` is the same as `--color never`, and wins.
  var color: ColorChoice {
    has(.noColor) ? .never : value(of: .color).flatMap(ColorChoice.init(rawValue:)) ?? .auto
  }
}

extension Style {
  /// Decides as clig.dev and no-color.org recommend: colors only on a terminal, and unless a variable disables them, if no
  /// option decides.
  init(isTerminal: Bool, variables: [String: String], choice: ColorChoice) {
    let objects = !(variables["NO_COLOR"] ?? "").isEmpty || variables["TERM"] == "dumb"
    self.init(isColored: choice == .always || choice == .auto && isTerminal && !objects)
  }
}
