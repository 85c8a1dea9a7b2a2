import Foundation
import Platform
import TerminalUI

/// A terminal without a display in which a test runs programs: it sends keys and reads the screen as text.
///
/// ```swift
/// let terminal = try PseudoTerminal(columns: 60, rows: 12)
/// let counter = try terminal.run([Executable.path(of: "counter"), "--data", directory.path])
/// try await terminal.wait(for: "Value: 0")
/// terminal.press("+")
/// try await terminal.wait(for: "Value: 1")
/// counter.kill(SIGKILL)
/// ```
///
/// Tests wait for expected contents and never for a fixed time. If the contents do not appear within a very long time,
/// the wait throws an error with the screen.
package final class PseudoTerminal: Sendable {
  /// The time limit for hangs, far longer than any wait on a busy machine.
  private static let guardDuration = Duration.seconds(1_500)

  private struct Contents: Sendable {
    /// The screen as received so far, perhaps with a part of an update.
    private var received: VirtualTerminal
    /// The last complete screen.
    private(set) var screen: VirtualTerminal
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
    var isClosed = false

    init(_ screen: VirtualTerminal) {
      received = screen
      self.screen = screen
    }

    /// Processes output of a program. A person sees no part of an update, and neither does a test.
    mutating func feed(_ bytes: [UInt8]) {
      received.feed(bytes)
      if !received.isUpdating { screen = received }
    }

    mutating func resize(columns: Int, rows: Int) {
      received.resize(columns: columns, rows: rows)
      screen.resize(columns: columns, rows: rows)
    }
  }

  private struct Waiter: Sendable {
    var condition: @Sendable (VirtualTerminal) -> Bool
    var continuation: CheckedContinuation<Bool, Never>
  }

  /// The path of the programs' device.
  package let path: String
  private let device: PseudoTerminalDevice
  private let contents: Locked<Contents>

  /// Opens a terminal.
  ///
  /// - Parameters:
  ///   - columns: Its width.
  ///   - rows: Its height.
  package init(columns: Int = 80, rows: Int = 24) throws {
    device = try PseudoTerminalDevice(columns: columns, rows: rows)
    path = device.path
    contents = Locked(Contents(VirtualTerminal(columns: columns, rows: rows)))
    let thread = Thread { [device, contents] in
      while let bytes = device.read() { Self.take(bytes, contents) }
      device.hangUp()
      Self.end(contents)
    }
    thread.name = "pseudo-terminal"
    thread.start()
  }

  deinit { device.close() }

  /// Starts a program in the terminal.
  ///
  /// - Parameters:
  ///   - words: The program, searched in `PATH` if it contains no `/`, and its arguments.
  ///   - variables: Environment variables in addition to `TERM`.
  package func run(_ words: [String], variables: [String: String] = [:]) throws -> ChildProcess {
    let variables = ["TERM": "xterm-256color"].merging(variables) { _, new in new }
    return ChildProcess(try Spawn.start(words, terminal: path, variables: variables))
  }
}

// MARK: - Hands and eyes

extension PseudoTerminal {
  /// Sends keys. Enter is `\r`, Escape `\u{1B}`, an arrow `\u{1B}[A`.
  package func press(_ keys: String...) throws {
    for key in keys { try device.write(Array(key.utf8)) }
  }

  /// The current screen; the one before it while an update arrives.
  package var screen: VirtualTerminal { contents.withLock { contents in contents.screen } }

  /// Whether input is echoed and arrives in lines, as shown by `stty`.
  package func isCooked() throws -> Bool { try device.isCooked() }

  /// Resizes the terminal. Programs in the foreground get `SIGWINCH`.
  package func resize(columns: Int, rows: Int) throws {
    contents.withLock { contents in contents.resize(columns: columns, rows: rows) }
    try device.setSize(columns: columns, rows: rows)
  }

  /// Closes the terminal. Its programs get `SIGHUP`.
  package func close() {
    device.close()
  }

  /// Waits for a text on the screen.
  package func wait(for text: String) async throws {
    try await wait("the text '\(text)'") { screen in screen.text.contains(text) }
  }

  /// Waits until the screen fulfills a condition.
  ///
  /// - Parameters:
  ///   - what: A description of the condition, for the error.
  ///   - condition: The condition.
  package func wait(_ what: String, until condition: @escaping @Sendable (VirtualTerminal) -> Bool) async throws {
    let (number, guardTask) = register()
    defer { guardTask.cancel() }
    let isMet = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      let answer = contents.withLock { contents -> Bool? in
        if condition(contents.screen) { return true }
        if contents.isClosed { return false }
        contents.waiters[number] = Waiter(condition: condition, continuation: continuation)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
    guard isMet else { throw Missing(what: what, screen: screen.text) }
  }

  /// The error of a wait that reached its time limit.
  package struct Missing: Error, CustomStringConvertible {
    let what: String
    let screen: String

    package var description: String { "\(what) did not come; the screen is:\n\(screen)" }
  }

  private func register() -> (Int, Task<Void, any Error>) {
    let number = contents.withLock { contents in
      contents.nextWaiter += 1
      return contents.nextWaiter
    }
    let task = Task { [contents] in
      try await Task.sleep(for: Self.guardDuration)
      contents.withLock { contents in contents.waiters.removeValue(forKey: number) }?.continuation
        .resume(returning: false)
    }
    return (number, task)
  }

  private static func take(_ bytes: [UInt8], _ contents: Locked<Contents>) {
    let done = contents.withLock { contents in
      contents.feed(bytes)
      let met = contents.waiters.filter { _, waiter in waiter.condition(contents.screen) }
      for number in met.keys { contents.waiters[number] = nil }
      return met.values.map(\.continuation)
    }
    for continuation in done { continuation.resume(returning: true) }
  }

  private static func end(_ contents: Locked<Contents>) {
    let waiters = contents.withLock { contents in
      contents.isClosed = true
      defer { contents.waiters = [:] }
      return contents.waiters.values.map(\.continuation)
    }
    for continuation in waiters { continuation.resume(returning: false) }
  }
}
