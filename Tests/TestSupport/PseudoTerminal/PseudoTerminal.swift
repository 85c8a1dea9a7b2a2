import Foundation
import Platform
import TerminalUI

/// A window without a screen in which a test runs programs: keys in, a screen as text out.
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
/// Nothing waits by the clock: a test waits for what it expects to see. What never comes is given up long after any machine
/// would have shown it, with the screen in the error.
package final class PseudoTerminal: Sendable {
  /// Far beyond what anything here takes, also on two busy processors: it only ends what hangs.
  private static let guardDuration = Duration.seconds(300)

  private struct Contents: Sendable {
    var screen: VirtualTerminal
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
    var isClosed = false
  }

  private struct Waiter: Sendable {
    var condition: @Sendable (VirtualTerminal) -> Bool
    var continuation: CheckedContinuation<Bool, Never>
  }

  /// The path of the device that programs see.
  package let path: String
  private let device: PseudoTerminalDevice
  private let contents: Locked<Contents>

  /// Opens a window.
  ///
  /// - Parameters:
  ///   - columns: How wide it is.
  ///   - rows: How high it is.
  package init(columns: Int = 80, rows: Int = 24) throws {
    device = try PseudoTerminalDevice(columns: columns, rows: rows)
    path = device.path
    contents = Locked(Contents(screen: VirtualTerminal(columns: columns, rows: rows)))
    let thread = Thread { [device, contents] in
      while let bytes = device.read() { Self.take(bytes, contents) }
      device.hangUp()
      Self.end(contents)
    }
    thread.name = "pseudo-terminal"
    thread.start()
  }

  deinit { device.close() }

  /// Starts a program in the window.
  ///
  /// - Parameters:
  ///   - words: The program, looked up in `PATH` when it has no `/`, and its arguments.
  ///   - variables: Environment variables that it gets in addition to `TERM`.
  package func run(_ words: [String], variables: [String: String] = [:]) throws -> ChildProcess {
    let variables = ["TERM": "xterm-256color"].merging(variables) { _, new in new }
    return ChildProcess(try Spawn.start(words, terminal: path, variables: variables))
  }
}

// MARK: - Hands and eyes

extension PseudoTerminal {
  /// Types: sends text as a keyboard would. Enter is `\r`, Escape `\u{1B}`, an arrow `\u{1B}[A`.
  package func press(_ keys: String...) throws {
    for key in keys { try device.write(Array(key.utf8)) }
  }

  /// The screen as it is now.
  package var screen: VirtualTerminal { contents.withLock { contents in contents.screen } }

  /// The attributes of the line, as `stty` shows them: whether input is echoed, whether it comes in lines.
  package func isCooked() throws -> Bool { try device.isCooked() }

  /// Gives the window another size. Programs in the foreground are told by `SIGWINCH`.
  package func resize(columns: Int, rows: Int) throws {
    contents.withLock { contents in contents.screen.resize(columns: columns, rows: rows) }
    try device.setSize(columns: columns, rows: rows)
  }

  /// Closes the window, as a person does who clicks it away. Programs in it get `SIGHUP`.
  package func close() {
    device.close()
  }

  /// Waits until a text is on the screen.
  package func wait(for text: String) async throws {
    try await wait("the text '\(text)'") { screen in screen.text.contains(text) }
  }

  /// Waits until the screen is as a test wants it.
  ///
  /// - Parameters:
  ///   - what: What is waited for, for the error.
  ///   - condition: Whether it is there.
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

  /// What never came.
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
      contents.screen.feed(bytes)
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
