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
