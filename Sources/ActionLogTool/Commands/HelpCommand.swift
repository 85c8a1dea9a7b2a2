extension Command {
  static let help = Command(
    "help",
    group: .about,
    summary: "how to use the tool, or one command",
    examples: [.init("help", "the commands"), .init("help diff", "one command")],
    arguments: [CommandArgument("COMMAND", arity: .optional, "the command to explain")],
    blocking: { context in
      if let name = context.arguments.positional(0) {
        try context.tool.printHelp(for: context.parser.command(named: name), context: context)
      } else {
        try context.tool.printOverview(context: context)
      }
      return .success
    }
  )
}
