/// An option of a command: how it is written, what it takes, what it does.
package struct CommandOption: Sendable, Equatable {
  /// The name after `--`.
  package let name: String
  /// The letter after `-`, if it has one.
  package let letter: Character?
  /// What its value is called in help; `nil` for a flag, which takes none.
  package let value: String?
  /// The only values it takes; empty when any will do.
  package let choices: [String]
  package let isRepeatable: Bool
  /// One line: what it does.
  package let help: String

  /// An option that is there or not.
  package static func flag(_ name: String, letter: Character? = nil, _ help: String) -> CommandOption {
    CommandOption(name: name, letter: letter, value: nil, choices: [], isRepeatable: false, help: help)
  }

  /// An option with a value.
  package static func value(
    _ name: String, letter: Character? = nil, _ value: String, isRepeatable: Bool = false, _ help: String
  ) -> CommandOption {
    CommandOption(name: name, letter: letter, value: value, choices: [], isRepeatable: isRepeatable, help: help)
  }

  /// An option with one of a few values.
  package static func choice(_ name: String, letter: Character? = nil, of choices: [String], _ help: String)
    -> CommandOption
  {
    let value = choices.joined(separator: "|")
    return CommandOption(name: name, letter: letter, value: value, choices: choices, isRepeatable: false, help: help)
  }

  /// As it is written in help: `-n, --limit COUNT`.
  var usage: String {
    let prefix = letter.map { letter in "-\(letter), " } ?? "    "
    return prefix + "--" + name + (value.map { value in " " + value } ?? "")
  }
}

extension CommandOption {
  static let json = flag("json", "print JSON, one document or one line per item")
  static let quiet = flag("quiet", letter: "q", "print no remarks and no progress, only data and errors")
  static let noColor = flag("no-color", "print without colour (as NO_COLOR=1 does)")
  static let help = flag("help", letter: "h", "print how to use the command")
  static let version = flag("version", "print the version")

  /// What every command takes.
  static let global: [CommandOption] = [json, quiet, noColor, help]
}
