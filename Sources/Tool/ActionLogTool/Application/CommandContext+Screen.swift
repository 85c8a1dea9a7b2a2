package import TerminalUI

extension CommandContext {
  /// Refuses what a command that shows a screen cannot do. To be called before anything is opened or made.
  ///
  /// - Throws: A usage error with `--json`, which a screen cannot print.
  package func requireScreen() throws {
    guard !isJSON else { throw ToolFailure.usage("--json is for commands that print data; this one shows a screen") }
  }

  /// Runs a screen on the process's terminal until it is done, or the command is asked to end.
  ///
  /// A signal that asks the process to end makes it return, so that the caller can close what is open; a second one ends
  /// the process at once, with the terminal given back.
  ///
  /// - Parameters:
  ///   - screen: What is shown.
  ///   - remarks: What waits until the screen has gone.
  /// - Returns: Why it ended.
  /// - Throws: What ``requireScreen()`` throws; `TerminalError`.
  @discardableResult @MainActor package func run(
    _ screen: any TerminalScreen, holding remarks: LogRemarks? = nil
  ) async throws -> TerminalEnding {
    try requireScreen()
    var options = TerminalOptions(variables: environment.variables)
    if arguments.has(.noColor) { options.isColoured = false }
    let application = TerminalApplication(screen, options: options)
    environment.stop.accept()
    environment.stop.onRequest { application.stop() }
    remarks?.hold()
    if environment.outputIsTerminal, options.isCapable { debugLines.hold() }
    defer {
      debugLines.release()
      remarks?.release()
    }
    return try await application.run()
  }
}
