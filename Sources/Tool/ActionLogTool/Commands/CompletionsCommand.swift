import JSONCoding

extension Command {
  static let completions = Command(
    "completions",
    group: .about,
    summary: "print completions for a shell: commands, options, models, paths",
    details: """
      The script is generated from the command table, like the help. It proposes the models of this tool.
      """,
    examples: [
      .init("completions bash > ~/.local/share/bash-completion/completions/action-log", "for every new bash"),
      .init("completions zsh > ~/.zfunc/_action-log", "in a directory of $fpath"),
      .init("completions fish > ~/.config/fish/completions/action-log.fish", "for every new fish"),
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
    summary: "print the manual page, for man",
    examples: [
      .init("manual > action-log.1 && man ./action-log.1", "read it"),
      .init("manual > ~/.local/share/man/man1/action-log.1", "install it"),
    ],
    blocking: { context in
      try context.print(ManualPage(tool: context.tool).lines, as: ["section": 1], named: "page")
      return .success
    }
  )
}

extension CommandContext {
  /// Prints a generated text, or with `--json` an object with the text as a member.
  fileprivate func print(_ lines: [String], as object: JSONObject, named name: String) throws {
    guard isJSON else { return try output.lines(lines) }
    var object = object
    object[name] = .string(lines.map { line in line + "\n" }.joined())
    try output.json(.object(object))
  }
}
