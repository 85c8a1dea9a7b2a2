public import ActionLog
import CSystem
import Foundation
import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The descriptors and capabilities of a terminal.
public struct TerminalOptions: Sendable {
  /// The descriptor that keys are read from.
  public var input: Int32
  /// The descriptor that screens are written to.
  public var output: Int32
  /// Whether colors are sent.
  public var usesColor: Bool
  /// Whether the terminal can position the cursor. Otherwise screens are printed as plain text; see ``TerminalApplication``.
  public var isCapable: Bool

  /// Creates options.
  ///
  /// - Parameters:
  ///   - input: The descriptor that keys are read from.
  ///   - output: The descriptor that screens are written to.
  ///   - variables: The environment, read for `NO_COLOR` (no-color.org) and `TERM`; `nil` for that of the process.
  public init(input: Int32 = 0, output: Int32 = 1, variables: [String: String]? = nil) {
    let variables = variables ?? ProcessInfo.processInfo.environment
    self.input = input
    self.output = output
    usesColor = (variables["NO_COLOR"] ?? "").isEmpty
    // Every terminal but "dumb", the type of editors' consoles, can position the cursor.
    isCapable = variables["TERM"] != "dumb"
  }
}

/// The terminal while an application uses it: in raw mode, on the alternate screen, with signals as events.
final class TerminalDevice: Sendable {
  /// Switches to the alternate screen, turns off line wrapping, turns on bracketed paste, and hides the cursor.
  private static let enterSequence = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l\u{1B}[0m\u{1B}[2J"
  /// Restores all modes, also that of an unfinished frame.
  private static let leaveSequence = "\u{1B}[?2026l\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private let options: TerminalOptions
  private let reader: TerminalReader

  static func isTerminal(_ options: TerminalOptions) -> Bool {
    options.isCapable && isatty(options.input) == 1 && isatty(options.output) == 1
  }

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

  func close() {
    csystem_terminal_leave()
    reader.stop()
  }

  var size: TerminalSize { Self.size(of: options) }

  /// The current size of the output's window; ``TerminalSize/standard`` if it is not a terminal.
  static func size(of options: TerminalOptions) -> TerminalSize {
    var columns: Int32 = 0
    var rows: Int32 = 0
    guard csystem_terminal_size(options.output, &columns, &rows), columns > 0, rows > 0 else { return .standard }
    return TerminalSize(columns: Int(columns), rows: Int(rows))
  }

  /// - Returns: Whether the terminal is still connected.
  func write(_ bytes: [UInt8]) async throws(TerminalError) -> Bool {
    try await TerminalOutput.write(bytes, to: options.output)
  }

  /// Until the process is continued.
  func suspend() throws(TerminalError) {
    csystem_terminal_leave()
    csystem_signals_stop()
    try take()
  }

  /// The modes may have changed while the process was stopped.
  func reacquire() throws(TerminalError) {
    let result = csystem_terminal_renew()
    guard result == 0 else { throw TerminalError(.system, "tcsetattr", errorNumber: result) }
    try sendEnterSequence()
  }

  private func take() throws(TerminalError) {
    let leaveSequence = Array(Self.leaveSequence.utf8)
    let result = csystem_terminal_enter(options.input, options.output, leaveSequence, leaveSequence.count)
    switch result {
    case 0: try sendEnterSequence()
    case EBUSY: throw TerminalError(.busy, "enter")
    default: throw TerminalError(.system, "tcsetattr", errorNumber: result)
    }
  }

  private func sendEnterSequence() throws(TerminalError) {
    _ = try TerminalOutput.isPresent(TerminalOutput.writeAll(Array(Self.enterSequence.utf8), to: options.output))
  }

  /// The bytes that make a terminal show an update all at once; empty if the update is.
  ///
  /// - SeeAlso: The specification of synchronized output, which terminals such as Kitty, iTerm2 and Windows Terminal follow.
  static func frame(_ update: [UInt8]) -> [UInt8] {
    update.isEmpty ? [] : Array("\u{1B}[?2026h".utf8) + update + Array("\u{1B}[?2026l".utf8)
  }
}

/// Writes to a descriptor that can be slow, and can be disconnected.
enum TerminalOutput {
  /// A slow terminal occupies its thread for any length of time, so it has one of its own.
  private static let queue = SerialQueue()

  /// - Returns: Whether the descriptor still has a reader.
  static func write(_ bytes: [UInt8], to descriptor: Int32) async throws(TerminalError) -> Bool {
    let errorNumber = await withCheckedContinuation { (continuation: CheckedContinuation<Int32, Never>) in
      queue.async { continuation.resume(returning: writeAll(bytes, to: descriptor)) }
    }
    return try isPresent(errorNumber)
  }

  /// - Returns: 0, or the error number.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { buffer in systemWrite(descriptor, buffer.baseAddress, buffer.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // The descriptor is nonblocking: wait until it is writable.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
      case let number: return number
      }
    }
    return 0
  }

  /// - Throws: For every error but that of a closed window or a lost connection.
  static func isPresent(_ errorNumber: Int32) throws(TerminalError) -> Bool {
    switch errorNumber {
    case 0: true
    // The window was closed, or the connection was lost.
    case EIO, EPIPE, ENXIO: false
    default: throw TerminalError(.system, "write", errorNumber: errorNumber)
    }
  }
}

/// The system's `write`, which is shadowed inside ``TerminalOutput``.
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, buffer, count)
}

/// An error of the terminal.
public struct TerminalError: DescribedError, Hashable, Sendable {
  /// The kind of error.
  public enum Code: String, Sendable {
    /// A system call failed.
    case system
    /// Another application of this process uses the terminal.
    case busy
  }

  /// The kind of error.
  public let code: Code
  /// The value of `errno`; 0 if there is none.
  public let errorNumber: Int32
  /// The failed operation.
  public let operation: String

  init(_ code: Code, _ operation: String, errorNumber: Int32 = 0) {
    self.code = code
    self.operation = operation
    self.errorNumber = errorNumber
  }

  /// A description of the failure, in lower case.
  public var message: String {
    switch code {
    case .system: "the terminal cannot be used: \(operation): \(String(cString: strerror(errorNumber)))"
    case .busy: "the terminal cannot be used: another application of this process uses it"
    }
  }
}
