import ActionLog
import ActionLogTool
import Foundation
import QuakesData
import QuakesWiring

extension CommandOption {
  static let store = value(
    "store", letter: "s", "DIR",
    "the directory of the store, which is a log, created if missing (default: quakes.store in the working directory)")
  fileprivate static let keep = value("keep", "COUNT", "the number of old logs to keep (default: all)")
  fileprivate static let feed = choice(
    "feed", of: ["hour", "day", "week", "month"], "the time range of the feed (default: hour)")
}

// The guide's QuakesDataClient prints the stored earthquakes, fetches the last hour, and prints them again. Here, these
// steps are commands.

extension Command {
  static let list = ClientCommand.command(
    "list", summary: "all earthquakes of the store",
    examples: [.init("list", "the store quakes.store in the working directory, which need not exist")]
  ) { client, store in
    try client.print(try await store.fetchLocalQuakesQuery())
  }

  static let refresh = ClientCommand.command(
    "refresh", summary: "fetch a feed and store its changes",
    details: "Prints every difference: + inserted, ~ updated, - deleted. If the feed fails, nothing is changed.",
    examples: [
      .init("refresh", "the last hour, from the United States Geological Survey"),
      .init("refresh --feed month --remote http://localhost:8000", "a month, from another server"),
      .init("refresh --feed day --sample", "generated, without a network"),
    ],
    options: [.feed] + FeedOptions.all
  ) { client, store in
    let feeds = try FeedOptions(client.context, now: { Date() }).store
    try await client.refresh(store, from: feeds, client.range(of: client.context.arguments.value(of: .feed)))
  }

  static let delete = ClientCommand.command(
    "delete", summary: "delete an earthquake",
    examples: [.init("delete us7000rk3m", "the next refresh restores it if its feed still contains it")],
    arguments: [CommandArgument("ID", "the id of the earthquake ('list' shows it)")]
  ) { client, store in
    let quakeId = client.context.arguments.positionals[0]
    guard let quake = try await store.fetchLocalQuakesQuery().first(where: { quake in quake.id == quakeId }) else {
      throw ToolFailure(
        "quakeNotFound", .negative, "there is no earthquake with the id '\(quakeId)'",
        advice: "'quakes-client list' shows the ids.")
    }
    try await store.deleteLocalQuakeMutation(quakeId: quakeId)
    try client.print([quake], as: .deleted)
  }

  static let deleteAll = ClientCommand.command(
    "delete-all", summary: "delete all earthquakes", examples: [.init("delete-all", "the store's log still has them")]
  ) { client, store in
    let quakes = try await store.fetchLocalQuakesQuery()
    try await store.deleteLocalQuakesMutation()
    try client.print(quakes, as: .deleted)
  }

  static let compact = ClientCommand.command(
    "compact", summary: "replace the store's log by a new one, and keep the old one",
    details:
      "A log grows with every change. The complete old log is kept as DIR.1, DIR.2 and so on; 'action-log' reads it.",
    examples: [
      .init("compact", "all old logs are kept"),
      .init("compact --keep 2", "the two newest old logs are kept"),
    ],
    options: [.keep]
  ) { client, store in
    let count = try client.context.arguments.integer(of: .keep, in: 0...1_000)
    let path = try await store.rollLog(keeping: count)
    if count != 0 { try client.context.output.line(path) }
  }
}

await ActionLogTool(
  program: "quakes-client", summary: "stores earthquakes from the feeds on this device",
  commands: [.list, .refresh, .delete, .deleteAll, .compact]
).main()
