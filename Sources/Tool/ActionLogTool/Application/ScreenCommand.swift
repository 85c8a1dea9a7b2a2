import ActionLog
package import EventSourcing
import ImmutableData
import Platform
package import TerminalUI
package import TimeTravel

extension CommandOption {
  /// The option of an app that runs a `StoreRemote`.
  package static let debugInspector = flag(
    "debug-inspector", "let the page of 'action-log inspect' show revisions of the log in this app")
}

extension CommandContext {
  /// Checks that the command may show a screen. Call it before anything is opened or created.
  ///
  /// - Throws: A usage error for `--json`.
  package func requireScreen() throws {
    guard !isJSON else { throw ToolFailure.usage("--json is for commands that print data; this one shows a screen") }
  }

  /// Runs a screen on the terminal of the process until it finishes or the command is asked to stop.
  ///
  /// The first termination signal makes this method return, so that the caller can close what is open. A second one
  /// terminates the process at once, after the terminal is restored.
  ///
  /// - Parameters:
  ///   - screen: The screen to show.
  ///   - notices: The notices to hold back until the screen is gone.
  /// - Returns: The reason it ended.
  /// - Throws: The error of ``requireScreen()``, or a `TerminalError`.
  @discardableResult @MainActor package func run(
    _ screen: any TerminalScreen, holding notices: RecordingNotices? = nil
  ) async throws -> TerminalEnding {
    try requireScreen()
    var options = TerminalOptions(variables: environment.variables)
    if arguments.color == .never { options.usesColor = false }
    let application = TerminalApplication(screen, options: options)
    environment.stop.accept()
    environment.stop.onRequest { application.stop() }
    notices?.hold()
    if environment.outputIsTerminal, options.isCapable { debugLines.hold() }
    defer {
      debugLines.release()
      notices?.release()
    }
    return try await application.run()
  }

  /// Records the actions of a store in a log while `body` shows the store, and closes the log then.
  ///
  /// - Parameters:
  ///   - path: The path of the log, which is created if there is none.
  ///   - configuration: How to record it.
  ///   - body: Shows the store. It may begin branches; the last log is closed.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of opening the log; the error of `body`; an error of closing the log.
  @MainActor package func recording<M: Model, Value>(
    at path: String, configuration: RecordingConfiguration<M>,
    _ body: @MainActor (TimeTravelStore<M>) async throws -> Value
  ) async throws -> Value {
    let recorder = try await Recorder<M>.open(
      at: path, configuration: configuration, fileSystem: environment.fileSystem)
    let store: TimeTravelStore<M>
    do {
      store = try TimeTravelStore(.store(recorder.makeStore(), recorder: recorder))
    } catch {
      do { try await recorder.close() } catch {}
      throw error
    }
    let value: Value
    do {
      value = try await body(store)
    } catch {
      // The log is safe on disk; the first error is the one to report.
      do { try await store.close() } catch {}
      throw error
    }
    try await store.close()
    return value
  }
}

/// Writes debug lines to standard error. While a screen occupies the terminal, lines are held back until it is gone, unless
/// standard error is redirected.
package final class DebugLines: Sendable {
  private struct Contents: Sendable {
    var waiting: [String] = []
    var dropped = 0
    var isHeld = false
  }

  /// The most lines that are held back: a day of use, in some megabytes.
  private static let waitingLimit = 10_000

  private let output: any ToolOutput
  private let isTerminal: Bool
  private let contents = Locked(Contents())

  init(_ environment: ToolEnvironment) {
    output = environment.standardError
    isTerminal = environment.errorIsTerminal
  }

  /// Returns an output for the listeners of a program.
  ///
  /// - Parameter flags: The flags of the command line, which take precedence over the user defaults.
  func output(_ flags: LaunchFlags) -> DebugOutput {
    DebugOutput(isEnabled: { flag in flags[flag] ?? DebugOutput.isSet(flag) }, write: { line in self.write(line) })
  }

  /// Writes a line, or holds it back.
  package func write(_ line: String) {
    let isHeld = contents.withLock { contents -> Bool in
      guard contents.isHeld else { return false }
      contents.waiting.append(line)
      if contents.waiting.count > Self.waitingLimit {
        contents.waiting.removeFirst(Self.waitingLimit / 2)
        contents.dropped += Self.waitingLimit / 2
      }
      return true
    }
    if !isHeld { print([line]) }
  }

  /// Holds lines back if they would appear on the screen.
  package func hold() {
    contents.withLock { contents in contents.isHeld = isTerminal }
  }

  /// Writes the lines that were held back, and the following ones at once.
  package func release() {
    let held = contents.withLock { contents -> Contents in
      defer { contents = Contents() }
      return contents
    }
    let note = held.dropped > 0 ? ["(\(held.dropped) earlier debug lines are not shown)"] : []
    print(note + held.waiting)
  }

  private func print(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    let lines = isTerminal ? lines.map(TerminalText.escapingLines) : lines
    do throws(ToolStreamError) {
      try output.write(Array((lines.joined(separator: "\n") + "\n").utf8))
    } catch {
      // A closed standard error must not stop the program.
    }
  }
}
