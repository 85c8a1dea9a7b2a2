import Platform

/// A stream with a buffer, and the style that its reader wants.
///
/// Lines are gathered so that a long listing is not a system call per line; a terminal sees each line at once.
package final class Printer: Sendable {
  /// Big enough that the cost of a call does not matter, small enough that a pipe's reader is never starved.
  private static let bufferLimitBytes = 64 * 1024

  package let style: Style
  /// Whether a person reads this.
  package let isTerminal: Bool
  private let output: any ToolOutput
  private let buffer = Locked([UInt8]())
  /// Makes room on the terminal that this printer shares with another one.
  private let preparation = Locked<Preparation?>(nil)

  /// A step before each write. A structure, because a function with typed throws is a generic argument from macOS 15 on only.
  private struct Preparation: Sendable {
    let run: @Sendable () throws(ToolStreamError) -> Void
  }

  init(_ output: any ToolOutput, isTerminal: Bool, style: Style) {
    self.output = output
    self.isTerminal = isTerminal
    self.style = style
  }

  /// Prints a text and a line feed.
  package func line(_ text: String = "") throws(ToolStreamError) {
    var bytes = Array(text.utf8)
    bytes.append(0x0A)
    try write(bytes)
  }

  /// Prints lines.
  package func lines(_ texts: [String]) throws(ToolStreamError) {
    for text in texts { try line(text) }
  }

  /// Prints bytes as they are.
  package func write(_ bytes: [UInt8]) throws(ToolStreamError) {
    let isFull = buffer.withLock { buffer -> Bool in
      buffer += bytes
      return isTerminal || buffer.count >= Self.bufferLimitBytes
    }
    if isFull { try flush() }
  }

  /// Hands everything gathered to the stream.
  package func flush() throws(ToolStreamError) {
    let bytes = buffer.withLock { buffer -> [UInt8] in
      defer { buffer = [] }
      return buffer
    }
    guard !bytes.isEmpty else { return }
    try preparation.withLock { preparation in preparation }?.run()
    try output.write(bytes)
  }

  /// Has something done before each time that something is printed, instead of what was to be done until now.
  func beforePrinting(_ action: @escaping @Sendable () throws(ToolStreamError) -> Void) {
    preparation.withLock { preparation in preparation = Preparation(run: action) }
  }
}

extension Printer {
  /// Prints text that brings its own line feeds.
  package func text(_ text: String) throws(ToolStreamError) {
    try write(Array(text.utf8))
  }
}
