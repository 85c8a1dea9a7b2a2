import ActionLogTool
import AnimalsData
import JSONCoding

/// What the commands have in common: the store, and how animals are told.
struct ClientCommand: Sendable {
  let context: CommandContext

  /// Makes a command that runs `body` with the store that its options name.
  static func command(
    _ name: String, summary: String, examples: [Command.Example], arguments: [CommandArgument] = [],
    options: [CommandOption] = [],
    _ body: @escaping @Sendable (ClientCommand, any PersistentSessionPersistentStore) async throws -> Void
  ) -> Command {
    Command(
      name, summary: summary, examples: examples, arguments: arguments, options: options + StoreOptions.all,
      asynchronous: { context in
        let client = ClientCommand(context: context)
        do {
          try await StoreOptions(context).use { store in try await body(client, store) }
        } catch {
          throw ToolFailure(store: error) ?? error
        }
        return .success
      })
  }

  /// Prints what was changed.
  func tell(_ text: String, _ animal: Animal) throws {
    try context.remark(text)
    try printAnimals([animal])
  }

  func printAnimals(_ animals: [Animal]) throws {
    if context.isJSON {
      for animal in animals { try context.output.json(try json(animal)) }
      return
    }
    var table = TextTable([.left, .left, .left, .left])
    for animal in animals { table.append([animal.animalId, animal.name, animal.diet.rawValue, animal.categoryId]) }
    try context.output.lines(table.lines())
  }

  func printCategories(_ categories: [Category]) throws {
    if context.isJSON {
      for category in categories { try context.output.json(try json(category)) }
      return
    }
    var table = TextTable([.left, .left])
    for category in categories { table.append([category.categoryId, category.name]) }
    try context.output.lines(table.lines())
  }

  private func json(_ value: some Encodable) throws -> JSONValue {
    try JSONValue(parsing: try StrictJSONEncoder().encode(value))
  }

  /// What a word on the command line means as a diet: the stored name, or the name in the code, in any case.
  static func diet(_ text: String) throws -> Animal.Diet {
    let name = text.lowercased()
    for diet in Animal.Diet.allCases where [diet.rawValue.lowercased(), "\(diet)"].contains(name) { return diet }
    let names = Animal.Diet.allCases.map(\.rawValue).joined(separator: ", ")
    throw ToolFailure.usage("--diet takes one of \(names), not '\(text)'")
  }
}
