/// What a word on the command line can be, as far as a shell can propose it.
enum CompletionKind: Equatable {
  /// A file or directory.
  case path
  /// One of a few words.
  case words([String])
  /// A point of the log that is named before: a word for it, or a mark.
  case point
  /// A mark of the log that is named before.
  case mark
  /// Whatever a person thinks of.
  case anything
}

/// What the words of a tool's command lines can be: read off the command table, in which the name of a value says what
/// it is.
struct CompletionTable {
  /// What the tool is called.
  let toolName: String
  let commands: [Command]
  /// The models that the tool knows, those with a name that no shell takes apart.
  let models: [String]

  /// Names of arguments and values that are paths.
  private static let pathNames: Set<String> = ["LOG", "NEW", "FILE", "DEST", "DIR"]
  /// Names of arguments and values that are points.
  private static let pointNames: Set<String> = ["POINT", "A", "B"]
  /// The points that have words of their own.
  static let points = "start end"

  init(_ tool: ActionLogTool) {
    toolName = tool.name
    commands = tool.commands
    models = tool.models.map(\.name).filter(Self.isPlain)
  }

  /// The name of the shell function, in which only letters, digits and underscores can stand.
  var functionName: String {
    "_" + String(toolName.map { character in character.isASCII && character.isLetter ? character : "_" })
  }

  func kind(of argument: CommandArgument) -> CompletionKind {
    argument.choices.isEmpty ? kind(named: argument.name) : .words(argument.choices)
  }

  /// What the value of an option is; `nil` for a flag.
  func kind(of option: CommandOption) -> CompletionKind? {
    guard let value = option.value else { return nil }
    return option.choices.isEmpty ? kind(named: value) : .words(option.choices)
  }

  private func kind(named name: String) -> CompletionKind {
    switch name {
    case "MODEL": .words(models)
    case "COMMAND": .words(commands.map(\.name))
    case "MARK": .mark
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
  /// Every way to write it: `--format`, `-f`.
  var spellings: [String] { ["--" + name] + (letter.map { letter in ["-\(letter)"] } ?? []) }
}

extension String {
  /// The text as one word of a shell, in single quotes.
  var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
