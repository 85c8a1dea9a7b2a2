import JSONCoding

extension Command {
  static let completions = Command(
    "completions",
    group: .about,
    summary: "completions for a shell: commands, options, models, paths",
    details: """
      The script is made from the same table as help is. Models are those that this tool knows.
      """,
    examples: [
      .init("completions bash > ~/.local/share/bash-completion/completions/action-log", "for every bash from now on"),
      .init("completions zsh > ~/.zfunc/_action-log", "in a directory of $fpath"),
      .init("completions fish > ~/.config/fish/completions/action-log.fish", "for every fish"),
    ],
    arguments: [CommandArgument("SHELL", choices: ["bash", "zsh", "fish"], "bash, zsh or fish")],
    blocking: { context in
      let table = CompletionTable(context.tool)
      let shell = context.arguments.positionals[0]
      let lines =
        switch shell {
        case "bash": BashCompletion(table: table).lines
        case "zsh": ZshCompletion(table: table).lines
        default: FishCompletion(table: table).lines
        }
      try context.print(lines, as: ["shell": .string(shell)], named: "script")
      return .success
    }
  )

  static let manual = Command(
    "manual",
    group: .about,
    summary: "the manual page, for man",
    examples: [
      .init("manual > action-log.1 && man ./action-log.1", "read it"),
      .init("manual > ~/.local/share/man/man1/action-log.1", "let man find it"),
    ],
    blocking: { context in
      try context.print(ManualPage(tool: context.tool).lines, as: ["section": 1], named: "page")
      return .success
    }
  )
}

extension CommandContext {
  /// Prints a text that was made from the command table: as it is, or to programs as a member of an object.
  fileprivate func print(_ lines: [String], as object: JSONObject, named name: String) throws {
    guard isJSON else { return try output.lines(lines) }
    var object = object
    object[name] = .string(lines.map { line in line + "\n" }.joined())
    try output.json(.object(object))
  }
}
