import ActionLog
import ActionLogTool
import AnimalsData
import Foundation

extension CommandOption {
  fileprivate static let diet = value("diet", "DIET", "its diet: Herbivore, Carnivore or Omnivore")
  fileprivate static let category = value("category", "ID", "the id of its category, for instance Bird")
  fileprivate static let name = value("name", "NAME", "its name")
}

extension CommandArgument {
  fileprivate static let animal = CommandArgument("ID", "the id of the animal ('list' shows it)")
}

// The guide's AnimalsDataClient, whose mutations are commands here.

extension Command {
  static let list = ClientCommand.command(
    "list", summary: "all animals, then all categories",
    examples: [
      .init("list", "the store default.store in the working directory, created with the sample data if missing"),
      .init("list --remote http://localhost:8080/animals/api", "the store of 'animals-server'"),
    ]
  ) { client, store in
    try client.print(try await store.fetchAnimalsQuery(), try await store.fetchCategoriesQuery())
  }

  static let add = ClientCommand.command(
    "add", summary: "add an animal",
    examples: [.init("add 'Barn owl' --diet Carnivore --category Bird", "the store creates its id")],
    arguments: [CommandArgument("NAME", "its name")], options: [.diet, .category]
  ) { client, store in
    let arguments = client.context.arguments
    guard let diet = arguments.value(of: .diet), let category = arguments.value(of: .category) else {
      throw ToolFailure.usage("'add' needs --diet and --category")
    }
    let animal = try await store.addAnimalMutation(
      name: try ClientCommand.name(arguments.positionals[0]), diet: try ClientCommand.diet(diet),
      categoryId: try await ClientCommand.category(category, in: store))
    try client.report("added", animal)
  }

  static let update = ClientCommand.command(
    "update", summary: "change properties of an animal",
    examples: [.init("update Cat --name Mimi", "only the name is changed")],
    arguments: [.animal], options: [.name, .diet, .category]
  ) { client, store in
    let arguments = client.context.arguments
    let old = try await ClientCommand.animal(arguments.positionals[0], in: store)
    var categoryId = old.categoryId
    if let text = arguments.value(of: .category) { categoryId = try await ClientCommand.category(text, in: store) }
    let name = try arguments.value(of: .name).map { text in try ClientCommand.name(text) } ?? old.name
    let diet = try arguments.value(of: .diet).map { text in try ClientCommand.diet(text) } ?? old.diet
    let animal = try await ClientCommand.changing(old) { [categoryId] animalId in
      try await store.updateAnimalMutation(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
    }
    try client.report("updated", animal)
  }

  static let delete = ClientCommand.command(
    "delete", summary: "delete an animal", examples: [.init("delete Dog", "prints the deleted animal")],
    arguments: [.animal]
  ) { client, store in
    let old = try await ClientCommand.animal(client.context.arguments.positionals[0], in: store)
    let animal = try await ClientCommand.changing(old) { id in try await store.deleteAnimalMutation(animalId: id) }
    try client.report("deleted", animal)
  }

  static let reloadSample = ClientCommand.command(
    "reload-sample", summary: "replace everything with the sample data",
    examples: [.init("reload-sample", "all changes are discarded, but remain in the log")]
  ) { client, store in
    let (animals, categories) = try await store.reloadSampleDataMutation()
    try client.print(animals, categories)
  }
}

await ActionLogTool(
  program: "animals-client", summary: "reads and changes animals, in a store on this device or on a server",
  commands: [.list, .add, .update, .delete, .reloadSample]
).main()
