import EventSourcing
import JSONCoding

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
