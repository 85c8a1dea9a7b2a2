import Dispatch
import Foundation
import Platform
import TestSupport

/// A process that writes numbers to its output, one a line, and what it has said so far.
package final class Child: Sendable {
  private struct Contents: Sendable {
    var lines: [String] = []
    var rest = ""
  }

  private let process: Process
  private let contents = Locked(Contents())
  private let ended = DispatchSemaphore(value: 0)
  private let output: Pipe

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - discardsErrors: Whether its standard error is thrown away.
  ///   - variables: Environment variables that it gets in addition.
  package init(
    _ executable: String, _ arguments: [String], discardsErrors: Bool = true, variables: [String: String] = [:]
  ) throws {
    process = Process()
    output = Pipe()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    if discardsErrors { process.standardError = FileHandle.nullDevice }
    let added = ["SWIFT_BACKTRACE": "enable=no"].merging(variables) { _, new in new }
    process.environment = ProcessInfo.processInfo.environment.merging(added) { _, new in new }
    try process.run()
    let handle = output.fileHandleForReading
    let thread = Thread { [contents, ended] in
      while true {
        let data = handle.availableData
        if data.isEmpty { break }
        let text = String(decoding: data, as: UTF8.self)
        contents.withLock { contents in
          let parts = (contents.rest + text).split(separator: "\n", omittingEmptySubsequences: false)
          contents.rest = String(parts.last ?? "")
          contents.lines += parts.dropLast().map(String.init)
        }
      }
      ended.signal()
    }
    thread.start()
  }

  /// The process.
  package var id: Int32 { process.processIdentifier }

  /// What it has said so far, whole lines only.
  package var lines: [String] { contents.withLock { contents in contents.lines } }

  /// The last number that it has said, whatever it said after that; 0 before the first.
  package var lastNumber: Int { lines.lazy.reversed().compactMap(Int.init).first ?? 0 }

  /// Whether it has not ended yet.
  package var isRunning: Bool { process.isRunning }

  /// Waits until it has said so many lines, has ended, or five minutes are over.
  package func waitForLines(_ count: Int) {
    let deadline = Date().addingTimeInterval(300)
    while lines.count < count, process.isRunning, Date() < deadline { usleep(200) }
    // What it said before it ended may still be on its way here.
    if lines.count < count, !process.isRunning { waitForOutput() }
  }

  /// Waits until all that it has said is here: it has ended.
  private func waitForOutput() {
    if ended.wait(timeout: .now() + 60) == .success { ended.signal() }
  }

  /// Sends a signal.
  package func signal(_ number: Int32) { kill(id, number) }

  /// Stops it, and waits until each of its threads stands still: the signal is delivered to one of them.
  package func stop() {
    signal(SIGSTOP)
    waitUntilStopped()
  }

  /// Waits until it stands still, or has ended.
  package func waitUntilStopped() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  /// Waits for its end and for all that it has said.
  ///
  /// - Returns: Its exit status, or the negative number of the signal that ended it.
  @discardableResult
  package func wait() -> Int32 {
    process.waitUntilExit()
    waitForOutput()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Kills it and waits for its end.
  ///
  /// - Returns: As ``wait()``; another one than -9 when it had ended by itself.
  @discardableResult
  package func killNow() -> Int32 {
    signal(SIGKILL)
    return wait()
  }

  /// Runs a command and waits for its end.
  ///
  /// - Parameter name: The name of a tool of the system, or the path of a program.
  /// - Throws: ``Unavailable`` when the machine does not have the tool, ``CommandFailure`` when the command fails.
  package static func run(_ name: String, _ arguments: [String]) throws {
    let child = try Child(name.contains("/") ? name : tool(name), arguments)
    let status = child.wait()
    if status != 0 { throw CommandFailure(command: [name] + arguments, status: status) }
  }

  /// Runs a command that shows whether the machine can make a trial. Nothing that it runs is a program of this package.
  ///
  /// - Throws: ``Unavailable`` when the machine does not have the tool, or the command fails.
  package static func probe(_ name: String, _ arguments: [String]) throws {
    do { try run(name, arguments) } catch let failure as CommandFailure { throw Unavailable("\(failure)") }
  }

  /// The path of a tool of the system.
  ///
  /// - Throws: ``Unavailable`` when the machine does not have it.
  package static func tool(_ name: String) throws -> String {
    guard let path = Executable.find(name) else { throw Unavailable("there is no \(name)") }
    return path
  }
}

/// A command that ended with another status than 0.
package struct CommandFailure: Error, CustomStringConvertible {
  /// The command and its arguments.
  package var command: [String]
  /// As ``Child/wait()`` has it.
  package var status: Int32

  /// Makes a failure from its parts.
  package init(command: [String], status: Int32) {
    self.command = command
    self.status = status
  }

  /// For instance `'umount /tmp/a' ended with 32`.
  package var description: String { "'\(command.joined(separator: " "))' ended with \(status)" }
}
