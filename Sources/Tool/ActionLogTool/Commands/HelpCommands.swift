import EventSourcing
import JSONCoding

extension Command {
  static let help = Command(
    "help",
    group: .about,
    summary: "explain the tool, a command, or a subject: points, conditions, json",
    examples: [
      .init("help", "the commands"), .init("help diff", "one command"), .init("help points", "how to name a revision"),
    ],
    arguments: [CommandArgument("COMMAND", arity: .optional, "the command or subject to explain")],
    blocking: { context in
      if let name = context.arguments.positional(0) {
        if context.tool.program == nil, let topic = HelpTopic.named(name) {
          try topic.print(context)
          return .success
        }
        let command = try context.parser.command(named: name)
        if context.isJSON {
          try context.output.json(command.json)
        } else {
          try context.tool.printHelp(for: command, context: context)
        }
      } else if context.isJSON {
        for command in context.tool.commands { try context.output.json(command.json) }
      } else {
        try context.tool.printOverview(context: context)
      }
      return .success
    }
  )
}

extension Command.Example {
  /// The JSON output.
  var json: JSONValue { ["arguments": .string(arguments), "meaning": .string(meaning)] }
}

extension Command {
  /// The JSON output.
  fileprivate var json: JSONValue {
    [
      "name": .string(name), "summary": .string(summary), "usage": .string(usage), "details": .string(details),
      "examples": .array(
        examples.map(\.json)),
      "arguments": .array(
        arguments.map { argument in ["name": .string(argument.name), "help": .string(argument.help)] }),
      "options": .array(
        allOptions.map { option in ["usage": .string(option.usage), "help": .string(option.help)] }),
    ]
  }
}

extension Command {
  static let version = Command(
    "version",
    group: .about,
    summary: "print the version of the tool and of its log format",
    examples: [.init("version", "name, version and format")],
    blocking: { context in
      try context.tool.printVersion(context: context)
      return .success
    }
  )
}

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

extension Command {
  static let models = Command(
    "models",
    group: .about,
    summary: "list the models whose logs this tool can replay",
    details: """
      The first line of a log names its model. Commands that need states (state, step, diff, replay, snapshot) work for the models
      listed here; list, show, cat, verify and others work for any log. 'what-if --with' folds the log of one model with another.
      """,
    examples: [.init("models", "name and schema version of each")],
    blocking: { context in
      if context.isJSON {
        for model in context.tool.models {
          var object: JSONObject = ["name": .string(model.name), "schema": .integer(model.schema)]
          if !model.projections.isEmpty {
            object["projections"] = .array(
              model.projections.map { projection in
                ["name": .string(projection.identity.name), "version": .integer(projection.identity.version)]
              })
          }
          object["mended"] = model.handle.bug.map { bug in .string(bug.mended) }
          try context.output.json(.object(object))
        }
        return .success
      }
      var table = TextTable([.left, .left, .left])
      for model in context.tool.models {
        let names = model.projections.map(\.identity.name).joined(separator: ", ")
        let note =
          model.handle.bug.map { bug in "has a bug that '\(bug.mended)' does not have: see 'demo --bug'" }
          ?? (names.isEmpty ? "" : "projections: \(names)")
        table.append([
          .init(model.name), .init("schema \(model.schema)"), .init(note, paint: context.output.style.dim),
        ])
      }
      try context.output.lines(table.lines())
      return .success
    }
  )
}
