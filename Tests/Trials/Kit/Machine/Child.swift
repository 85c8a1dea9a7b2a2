import Dispatch
import Foundation
import Platform
import TestSupport

/// A child process that prints numbers, one per line, and its output so far.
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
  ///   - mergesErrors: Whether its standard error is part of its output, instead of being discarded.
  ///   - variables: Additional environment variables.
  package init(
    _ executable: String, _ arguments: [String], mergesErrors: Bool = false, variables: [String: String] = [:]
  ) throws {
    process = Process()
    output = Pipe()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    if mergesErrors { process.standardError = output } else { process.standardError = FileHandle.nullDevice }
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

  /// The process id.
  package var id: Int32 { process.processIdentifier }

  /// The complete lines of its output so far.
  package var lines: [String] { contents.withLock { contents in contents.lines } }

  /// The last number in its output, ignoring other lines; 0 before the first.
  package var lastNumber: Int { lines.lazy.reversed().compactMap(Int.init).first ?? 0 }

  /// Whether it is still running.
  package var isRunning: Bool { process.isRunning }

  /// Waits until it has printed a number of lines, has ended, or five minutes have passed.
  package func waitForLines(_ count: Int) {
    let deadline = Date().addingTimeInterval(300)
    while lines.count < count, process.isRunning, Date() < deadline { usleep(200) }
    // Output from before its end may not have arrived yet.
    if lines.count < count, !process.isRunning { waitForOutput() }
  }

  /// Waits until all output of the ended process has arrived.
  private func waitForOutput() {
    if ended.wait(timeout: .now() + 60) == .success { ended.signal() }
  }

  /// Sends a signal.
  package func signal(_ number: Int32) { kill(id, number) }

  /// Stops it, and waits until all of its threads are stopped: the signal is delivered to one of them.
  package func stop() {
    signal(SIGSTOP)
    waitUntilStopped()
  }

  /// Waits until it is stopped or has ended.
  package func waitUntilStopped() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  /// Waits for its end and for all of its output.
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
  /// - Returns: The same as ``wait()``; not -9 if it had already ended.
  @discardableResult
  package func killNow() -> Int32 {
    signal(SIGKILL)
    return wait()
  }

  /// Runs a command and waits for its end.
  ///
  /// - Parameter name: The name of a system tool, or the path of a program.
  /// - Throws: ``Unavailable`` if the machine lacks the tool, ``CommandFailure`` if the command fails.
  package static func run(_ name: String, _ arguments: [String]) throws {
    let child = try Child(name.contains("/") ? name : tool(name), arguments, mergesErrors: true)
    let status = child.wait()
    guard status != 0 else { return }
    // A program of this package prints the error's code after its message.
    let message = child.lines.last { line in line.hasPrefix("error: ") } ?? child.lines.last
    throw CommandFailure(command: [name] + arguments, status: status, message: message)
  }

  /// Runs a command that checks whether the machine can run a trial. It must not run a program of this package.
  ///
  /// - Throws: ``Unavailable`` if the machine lacks the tool, or if the command fails.
  package static func probe(_ name: String, _ arguments: [String]) throws {
    do { try run(name, arguments) } catch let failure as CommandFailure { throw Unavailable("\(failure)") }
  }

  /// Returns the path of a system tool.
  ///
  /// - Throws: ``Unavailable`` if the machine lacks it.
  package static func tool(_ name: String) throws -> String {
    guard let path = Executable.find(name) else { throw Unavailable("there is no \(name)") }
    return path
  }
}

/// A command that ended with a status other than 0.
package struct CommandFailure: Error, CustomStringConvertible {
  /// The command and its arguments.
  package var command: [String]
  /// The status, as returned by ``Child/wait()``.
  package var status: Int32
  /// The error that it printed, if any.
  package var message: String?

  /// Creates a failure from its parts.
  package init(command: [String], status: Int32, message: String? = nil) {
    self.command = command
    self.status = status
    self.message = message
  }

  /// For example `'umount /tmp/a' ended with 32: umount: /tmp/a: target is busy.`
  package var description: String {
    "'\(command.joined(separator: " "))' ended with \(status)" + (message.map { message in ": \(message)" } ?? "")
  }
}
