extension Command {
  static let version = Command(
    "version",
    group: .about,
    summary: "the version of the tool and of the format it writes",
    examples: [.init("version", "what this is")],
    blocking: { context in
      try context.tool.printVersion(context: context)
      return .success
    }
  )
}
