import ActionLog
package import EventSourcing
import ImmutableData
package import TerminalUI
package import TimeTravel

extension CommandContext {
  /// Checks that the command may show a screen. Call it before anything is opened or created.
  package func requireScreen() throws {
    guard !isJSON else { throw ToolFailure.usage("--json is for commands that print data; this one shows a screen") }
  }

  /// Runs a screen until it finishes or the command is asked to stop. Messages for the same terminal are held back until it is gone.
  ///
  /// The first termination signal makes this method return, so that the caller can close what is open. A second one
  /// terminates the process at once, after the terminal is restored.
  @discardableResult @MainActor package func run(_ screen: any TerminalScreen) async throws -> TerminalEnding {
    try requireScreen()
    var options = TerminalOptions(variables: environment.variables)
    if arguments.color == .never { options.usesColor = false }
    let application = TerminalApplication(screen, options: options)
    environment.stop.accept()
    environment.stop.onRequest { application.stop() }
    if environment.outputIsTerminal, environment.errorIsTerminal, options.isCapable { messages.hold() }
    defer {
      // A closed standard error must not change how the screen ends.
      do throws(ToolStreamError) { try messages.release() } catch {}
    }
    return try await application.run()
  }

  /// Returns an output of debug lines for the listeners of a program: the messages.
  func debugOutput(_ flags: LaunchFlags) -> DebugOutput {
    DebugOutput(
      isEnabled: { flag in flags[flag] ?? DebugOutput.isSet(flag) },
      write: { [messages] line in
        do throws(ToolStreamError) {
          try messages.line(messages.isTerminal ? TerminalText.escapingLines(line) : line)
          try messages.flush()
        } catch {
          // A closed standard error must not stop the program.
        }
      })
  }

  /// Records the actions of a store in a log while `body` shows the store, and closes the log then: the last one, if `body` begins
  /// branches. The error of `body` comes before one of closing.
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
