/// A positional argument of a command.
package struct CommandArgument: Sendable, Equatable {
  package enum Arity: Sendable { case one, optional, several }

  /// What it is called in help, in capitals.
  package let name: String
  package let arity: Arity
  /// The only words it takes; empty when any will do.
  package let choices: [String]
  /// One line: what it is.
  package let help: String

  package init(_ name: String, arity: Arity = .one, choices: [String] = [], _ help: String) {
    self.name = name
    self.arity = arity
    self.choices = choices
    self.help = help
  }

  /// As it is written in a usage line.
  var usage: String {
    switch arity {
    case .one: name
    case .optional: "[\(name)]"
    case .several: "\(name)…"
    }
  }
}

extension CommandArgument {
  /// A log that is only read.
  static let readLog = CommandArgument("LOG", "a log's directory, or one of its segment files")
  /// A log, or many.
  static let readLogs = CommandArgument(
    "LOG", "a log's directory, one of its segment files, or - for paths on standard input")
  /// A log as a whole.
  static let wholeLog = CommandArgument("LOG", "a log's directory")
}
