import ActionLog
import Platform

extension CommandOption {
  static let newFile = value("output", letter: "o", "FILE", "the new file (default: standard output)")
  static let dryRun = flag("dry-run", "show what would be done, and change nothing")
  static let yes = flag("yes", letter: "y", "do it without asking")
}

extension ParsedArguments {
  /// The value of an option as a time: `10s`, `5m`, `1h` or `1d`, or a number of seconds.
  package func duration(of option: CommandOption, in range: ClosedRange<Duration>) throws(ToolFailure) -> Duration? {
    guard let text = value(of: option) else { return nil }
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    let unit = text.last.flatMap { letter in units[letter] }
    let digits = unit == nil ? text[...] : text.dropLast()
    let isPlain = digits.allSatisfy { character in character.isASCIIDigit || character == "." }
    // A number beyond any range has no duration.
    if isPlain, let number = Double(digits), case let seconds = number * (unit ?? 1), seconds <= 1e9,
      range.contains(.microseconds(Int64(seconds * 1e6)))
    {
      return .microseconds(Int64(seconds * 1e6))
    }
    let bounds = "from \(HumanText.duration(range.lowerBound)) to \(HumanText.duration(range.upperBound))"
    throw .usage("\(option: option) takes a time such as 10s, 5m or 0.5 (seconds), \(bounds), not '\(text)'")
  }
}

extension CommandContext {
  var isDryRun: Bool { arguments.has(.dryRun) }

  /// Asks the user at the terminal, unless `--yes` is given.
  ///
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
