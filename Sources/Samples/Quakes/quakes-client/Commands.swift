import ActionLog
import ActionLogTool
import Foundation
import QuakesData
import QuakesWiring

extension CommandOption {
  static let store = value(
    "store", letter: "s", "DIR",
    "the store itself, which is a log, made where it is missing (default: quakes.store in the working directory)")
  fileprivate static let keep = value("keep", "COUNT", "how many of the logs that lie aside stay (default: all)")
  fileprivate static let feed = choice(
    "feed", of: ["hour", "day", "week", "month"], "how far back to ask for (default: hour)")
}

// The guide's QuakesDataClient, which prints what is stored, fetches the last hour, and prints again; here as commands.

extension Command {
  static let list = ClientCommand.command(
    "list", summary: "all earthquakes of the store",
    examples: [.init("list", "the store quakes.store in the working directory, which need not exist")]
  ) { client, store in
    try client.print(try await store.fetchLocalQuakesQuery())
  }

  static let refresh = ClientCommand.command(
    "refresh", summary: "fetch a feed, and store what is new, what has changed and what is gone",
    details: "Prints every difference: + inserted, ~ updated, - deleted. A feed that fails changes nothing.",
    examples: [
      .init("refresh", "the last hour, from the United States Geological Survey"),
      .init("refresh --feed month --remote http://localhost:8000", "a month, from a server of your own"),
      .init("refresh --feed day --sample", "made up, without network"),
    ],
    options: [.feed] + FeedOptions.all
  ) { client, store in
    let feeds = try FeedOptions(client.context, now: { Date() }).store
    try await client.refresh(store, from: feeds, client.range(of: client.context.arguments.value(of: .feed)))
  }

  static let delete = ClientCommand.command(
    "delete", summary: "delete an earthquake",
    examples: [.init("delete us7000rk3m", "a feed brings it back as long as it names it")],
    arguments: [CommandArgument("ID", "the id of the earthquake ('list' shows it)")]
  ) { client, store in
    let quakeId = client.context.arguments.positionals[0]
    guard let quake = try await store.fetchLocalQuakesQuery().first(where: { quake in quake.id == quakeId }) else {
      throw ToolFailure(
        "quakeNotFound", .negative, "there is no earthquake with the id '\(quakeId)'",
        advice: "'quakes-client list' shows the ids.")
    }
    try await store.deleteLocalQuakeMutation(quakeId: quakeId)
    try client.print(.deleted, [quake])
  }

  static let deleteAll = ClientCommand.command(
    "delete-all", summary: "delete all earthquakes", examples: [.init("delete-all", "the store's log still has them")]
  ) { client, store in
    let quakes = try await store.fetchLocalQuakesQuery()
    try await store.deleteLocalQuakesMutation()
    try client.print(.deleted, quakes)
  }

  static let compact = ClientCommand.command(
    "compact", summary: "begin the store's log anew, and put the old one aside",
    details:
      "A log grows for ever. The old one stays whole beside it, as DIR.1, DIR.2 and so on; 'action-log' reads it.",
    examples: [
      .init("compact", "nothing of the past is lost"),
      .init("compact --keep 2", "of the logs that lie aside, two stay"),
    ],
    options: [.keep]
  ) { client, store in
    let count = try client.context.arguments.integer(of: .keep, in: 0...1_000)
    let path = try await store.rollLog(keeping: count)
    if count != 0 { try client.context.output.line(path) }
  }

  static let log = Command(
    "log", summary: "what has happened to the store",
    details: "The store is a log of its own, which 'action-log' reads, too.",
    examples: [.init("log --store ~/quakes", "one change a line")], options: [.store],
    blocking: { context in
      let path = ClientCommand.path(context)
      try LogPlaces(context).requireLog(path, option: CommandOption.store.name)
      var records = try LogReader.open(path).records(from: 1)
      var printer = RecordPrinter(context)
      while let record = try records.next() {
        if !record.isControl { try printer.print(record) }
      }
      try printer.finish()
      return .success
    })
}
