import ActionLog
import ImmutableData

// A program with its own commands and the command line of the tool: the same parsing, help, messages, signals and exit statuses.

extension ActionLogTool {
  /// Creates a program whose command line names one of several commands. The summary is a fragment that says what it does.
  package init(program name: String, summary: String, commands: [Command]) {
    self.name = name
    self.version = "1.0.0"
    self.models = []
    self.programSummary = summary
    self.commands = commands
  }

  /// Creates a program that is a single command, which its command line does not name. The name of the command is empty.
  package init(program name: String, command: Command) {
    precondition(command.name.isEmpty, "the only command has no name")
    self.init(program: name, summary: command.summary, commands: [command])
  }

  /// Returns the words with the name of the command first, also for a single command.
  func commandLine(_ words: [String]) -> [String] {
    let isOneCommand = commands.count == 1 && commands[0].name.isEmpty
    return isOneCommand && words != ["--version"] ? [""] + words : words
  }
}

/// The launch arguments that turn on the debug lines of the guide's modules, for instance
/// `-com.northbronson.AnimalsData.Debug 1`.
///
/// - SeeAlso: The ImmutableData programming guide, chapters 9, 13 and 17 (the schemes of the applications).
struct LaunchFlags: Sendable, Equatable {
  /// The modules of the guide that print debug lines.
  private static let modules = ["ImmutableUI", "AnimalsData", "AnimalsUI", "QuakesData", "QuakesUI"]
  /// Apple's database logging. The guide's schemes set it; a program without Core Data has nothing to log.
  private static let coreData = ["com.apple.CoreData.ConcurrencyDebug", "com.apple.CoreData.SQLDebug"]
  /// The values that a Boolean user default takes on a command line.
  private static let values = ["1": true, "YES": true, "true": true, "0": false, "NO": false, "false": false]

  private var settings: [String: Bool] = [:]

  init() {}

  /// Removes the flags and their values from a command line.
  init(removingFrom words: inout [String]) throws(ToolFailure) {
    var rest = words[...]
    var kept: [String] = []
    while let word = rest.popFirst() {
      guard word != "--" else {
        kept.append(word)
        break
      }
      guard word.hasPrefix("-com.") else {
        kept.append(word)
        continue
      }
      try set(String(word.dropFirst()), to: rest.popFirst())
    }
    words = kept + rest
  }

  /// Whether a flag is set; `nil` if the command line does not name it.
  subscript(flag: String) -> Bool? { settings[flag] }

  /// A note for the user about flags that have no effect; `nil` if all of them have one.
  var note: String? {
    if let flag = Self.coreData.first(where: { flag in settings[flag] == true }) {
      return "-\(flag) has no effect: the stores of this program are logs, not Core Data"
    }
    #if DEBUG
    return nil
    #else
    return settings.values.contains(true) ? "debug flags have no effect in release builds" : nil
    #endif
  }

  private mutating func set(_ flag: String, to value: String?) throws(ToolFailure) {
    let known = Self.modules.map(DebugOutput.flag) + Self.coreData
    guard known.contains(flag) else {
      throw .usage("there is no debug flag '-\(flag)'", advice: Suggestion.sentence(for: flag, among: known))
    }
    guard let value, let isSet = Self.values[value] else {
      throw .usage("-\(flag) takes 1 or 0\(value.map { value in ", not '\(value)'" } ?? "")")
    }
    settings[flag] = isSet
  }
}
