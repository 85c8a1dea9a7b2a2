/// The kind of a word on the command line, for completion.
enum CompletionKind: Equatable {
  /// A file or directory.
  case path
  /// One of a few words.
  case words([String])
  /// A point of the log named earlier: a keyword or a mark.
  case point
  /// A mark of the log named earlier.
  case mark
  /// A type of an action in the log named earlier, and a path in its state.
  case type, pointer
  /// Any text.
  case anything
}

/// The kinds of words in a tool's command lines, derived from the command table by the names of values.
struct CompletionTable {
  /// The name of the tool.
  let toolName: String
  let commands: [Command]
  /// The models whose names need no quoting.
  let models: [String]

  /// Names of arguments and values that are paths.
  private static let pathNames: Set<String> = ["LOG", "NEW", "FILE", "DEST", "DIR"]
  /// Names of arguments and values that are points.
  private static let pointNames: Set<String> = ["POINT", "A", "B"]
  /// The keywords for points.
  static let points = "start end"

  init(_ tool: ActionLogTool) {
    toolName = tool.name
    commands = tool.commands
    models = tool.models.map(\.name).filter(Self.isPlain)
  }

  /// The name of the shell function: only letters, digits and underscores.
  var functionName: String {
    "_" + String(toolName.map { character in character.isASCII && character.isLetter ? character : "_" })
  }

  func kind(of argument: CommandArgument) -> CompletionKind {
    argument.choices.isEmpty ? kind(named: argument.name) : .words(argument.choices)
  }

  /// The kind of an option's value; `nil` for a flag.
  func kind(of option: CommandOption) -> CompletionKind? {
    guard let value = option.value else { return nil }
    // The paths of a line are not those of the state.
    if option.name == "hide" { return .anything }
    return option.choices.isEmpty ? kind(named: value) : .words(option.choices)
  }

  private func kind(named name: String) -> CompletionKind {
    switch name {
    case "MODEL": .words(models)
    case "COMMAND": .words(commands.map(\.name) + HelpTopic.all.map(\.name))
    case "MARK": .mark
    case "PATTERN": .type
    case "POINTER": .pointer
    default: Self.pathNames.contains(name) ? .path : Self.pointNames.contains(name) ? .point : .anything
    }
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
      }
  }
}

extension CommandOption {
  /// All its spellings: `--format`, `-f`.
  var spellings: [String] { ["--" + name] + (letter.map { letter in ["-\(letter)"] } ?? []) }
}

extension String {
  /// The text as a shell word in single quotes.
  var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
