import CSystem

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The terminal of the process while an application has it: raw, with the alternate screen, its signals as events.
final class TerminalDevice: Sendable {
  /// The alternate screen keeps what was there before, lines that are too long must not be wrapped into the next row, and
  /// what is pasted must not be taken for keys.
  private static let greeting = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l\u{1B}[0m\u{1B}[2J"
  private static let farewell = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private let options: TerminalOptions
  private let reader: TerminalReader

  /// Whether both ends are terminals that can show a screen.
  static func isTerminal(_ options: TerminalOptions) -> Bool {
    options.isCapable && isatty(options.input) == 1 && isatty(options.output) == 1
  }

  /// Takes the terminal.
  init(_ options: TerminalOptions, events: TerminalEvents) throws(TerminalError) {
    self.options = options
    reader = try TerminalReader(descriptor: options.input, kind: .keys, events: events)
    do throws(TerminalError) {
      try take()
    } catch {
      reader.stop()
      throw error
    }
    do throws(TerminalError) {
      try reader.start()
    } catch {
      csystem_terminal_leave()
      throw error
    }
  }

  /// Gives the terminal back as it was.
  func close() {
    csystem_terminal_leave()
    reader.stop()
  }

  /// How large the window is at this moment.
  var size: TerminalSize { Self.size(of: options) }

  /// How large the window is that the output goes to; the usual size where there is none.
  static func size(of options: TerminalOptions) -> TerminalSize {
    var columns: Int32 = 0
    var rows: Int32 = 0
    guard csystem_terminal_size(options.output, &columns, &rows), columns > 0, rows > 0 else { return .usual }
    return TerminalSize(columns: Int(columns), rows: Int(rows))
  }

  /// Sends bytes, on a thread that may block.
  ///
  /// - Returns: Whether the terminal is still there.
  func write(_ bytes: [UInt8]) async throws(TerminalError) -> Bool {
    try await TerminalOutput.write(bytes, to: options.output)
  }

  /// Gives the terminal back, stops the process until somebody lets it go on, and takes the terminal again.
  func suspend() throws(TerminalError) {
    csystem_terminal_leave()
    csystem_signals_stop()
    try take()
  }

  /// Takes the terminal again after the process was stopped by others, who may have changed it.
  func takeAgain() throws(TerminalError) {
    let result = csystem_terminal_renew()
    guard result == 0 else { throw TerminalError(.system, "tcsetattr", errorNumber: result) }
    try greet()
  }

  private func take() throws(TerminalError) {
    let farewell = Array(Self.farewell.utf8)
    let result = csystem_terminal_enter(options.input, options.output, farewell, farewell.count)
    switch result {
    case 0: try greet()
    case EBUSY: throw TerminalError(.busy, "taking the terminal")
    default: throw TerminalError(.system, "tcsetattr", errorNumber: result)
    }
  }

  private func greet() throws(TerminalError) {
    _ = try TerminalOutput.isPresent(TerminalOutput.writeAll(Array(Self.greeting.utf8), to: options.output))
  }
}
