import ActionLog
import Platform

extension CommandOption {
  static let dryRun = flag("dry-run", "show what would be done, and change nothing")
  static let yes = flag("yes", letter: "y", "do it without asking")
}

extension CommandContext {
  /// Whether nothing is to be changed.
  var isDryRun: Bool { arguments.has(.dryRun) }

  /// Asks the user at the terminal, unless `--yes` is given.
  ///
  /// - Parameter plan: Prints for a reader what would be done.
  /// - Throws: A usage error that names the option if there is no terminal.
  func confirm(_ question: String, after plan: () throws -> Void = {}) throws -> Bool {
    if arguments.has(.yes) { return true }
    if !isJSON { try plan() }
    guard environment.inputIsTerminal, !isJSON else {
      throw ToolFailure.usage(
        "nothing was changed: there is no terminal for the question", advice: "Give --\(CommandOption.yes.name).")
    }
    try output.flush()
    try messages.write(Array("\(question) [y/N] ".utf8))
    var lines = LineReader(environment.standardInput, stop: environment.stop)
    guard case .bytes(let bytes)? = try lines.next()?.first else { return false }
    return ["y", "yes"].contains(String(decoding: bytes, as: UTF8.self).lowercased())
  }
}
