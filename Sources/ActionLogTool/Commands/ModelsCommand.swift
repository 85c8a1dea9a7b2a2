import JSONCoding

extension Command {
  static let models = Command(
    "models",
    group: .about,
    summary: "the models whose logs this tool can replay",
    details: """
      A log names its model in its first line. Commands that need states (state, step, diff, replay, snapshot) work for
      the models listed here; list, show, cat, verify and the like work for any log.
      """,
    examples: [.init("models", "name and schema version of each")],
    blocking: { context in
      if context.isJSON {
        for model in context.tool.models {
          try context.output.json(["name": .string(model.name), "schema": .integer(model.schema)])
        }
        return .success
      }
      var table = TextTable([.left, .left])
      for model in context.tool.models { table.append([model.name, "schema \(model.schema)"]) }
      try context.output.lines(table.lines())
      return .success
    }
  )
}
