import TestSupport

/// A shell session in an initially empty directory, with the executable `action-log` in `PATH`.
///
/// Command lines run in `sh` unchanged: quotes, redirections and here documents.
struct ShellSession: Sendable {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Runs a command line, whatever its lines.
  ///
  /// - Parameter readsStreamsTogether: Whether standard error is interleaved with the output.
  func run(_ command: String, readsStreamsTogether: Bool = false) async throws -> CommandLineRun {
    // The executable's path comes as the name of the script.
    let script = """
      \(readsStreamsTogether ? "exec 2>&1" : ":")
      cd '\(directory.path(""))' && PATH="${0%/*}:$PATH" && COLUMNS=110 && export PATH COLUMNS
      \(command)
      """
    let run = try await ToolRun([], launcher: ["/bin/sh", "-c", script])
    guard case .status(let status) = run.ending else { throw Failure(description: "\(command): \(run.ending)") }
    return CommandLineRun(status: status, output: run.output.withoutProgress, messages: run.messages)
  }

  /// The contents of a file.
  func contents(of name: String) async throws -> String {
    try await run("cat '\(name)'").output
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }
}
