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
      switch context.arguments.positionals[0] {
      case "bash": try context.output.lines(BashCompletion(table: table).lines)
      case "zsh": try context.output.lines(ZshCompletion(table: table).lines)
      default: try context.output.lines(FishCompletion(table: table).lines)
      }
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
      try context.output.lines(ManualPage(tool: context.tool).lines)
      return .success
    }
  )
}
