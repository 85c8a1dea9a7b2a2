import ActionLog
import ActionLogTool
import EventSourcing
import Foundation
import JSONCoding
import Platform
import QuakesData
import QuakesWiring
import SampleSupport

/// The common part of the commands: opens the store, and prints earthquakes.
struct ClientCommand: Sendable {
  let context: CommandContext

  enum Change: String {
    case inserted, updated, deleted

    var mark: String {
      switch self {
      case .inserted: "+"
      case .updated: "~"
      case .deleted: "-"
      }
    }
  }

  static func command(
    _ name: String, summary: String, details: String = "", examples: [Command.Example],
    arguments: [CommandArgument] = [], options: [CommandOption] = [],
    _ body: @escaping @Sendable (ClientCommand, LocalStore) async throws -> Void
  ) -> Command {
    Command(
      name, summary: summary, details: details, examples: examples, arguments: arguments, options: options + [.store],
      asynchronous: { context in
        let path = path(context)
        try await BlockingWork.run { try LogLocator(context).requireLog(path, option: CommandOption.store.name) }
        let store = LocalStore(
          path: path, createsDirectories: true,
          configuration: RecordingNotices(context).watching(RecordingConfiguration()))
        do {
          try await body(ClientCommand(context: context), store)
          try await store.close()
        } catch {
          throw ToolFailure(quakes: error) ?? error
        }
        return .success
      })
  }

  static func path(_ context: CommandContext) -> String { context.arguments.value(of: .store) ?? "quakes.store" }

  func range(of text: String?) -> QuakesAction.UI.QuakeList.RefreshQuakesRange {
    switch text {
    case "day": .allDay
    case "week": .allWeek
    case "month": .allMonth
    default: .allHour
    }
  }

  /// Updates the store from a feed, and prints every difference.
  func refresh(
    _ store: LocalStore, from feeds: any PersistentSessionRemoteStore,
    _ range: QuakesAction.UI.QuakeList.RefreshQuakesRange
  ) async throws {
    let stored = try await store.fetchLocalQuakesQuery()
    let limits = TimeLimits()
    let fetched = try await TimeLimit(limits.remote, clock: limits.clock).run(waitingFor: "feed") {
      try await feeds.fetchRemoteQuakesQuery(range: range)
    }
    let changes = try QuakeChanges(of: fetched, mergedInto: stored)
    try await store.didFetchRemoteQuakesMutation(
      inserted: changes.inserted, updated: changes.updated, deleted: changes.deleted)
    try print(changes.inserted, as: .inserted)
    try print(changes.updated, as: .updated)
    try print(changes.deleted, as: .deleted)
    let total = try await store.fetchLocalQuakesQuery().count
    try context.note(
      "\(changes.inserted.count) inserted, \(changes.updated.count) updated, \(changes.deleted.count) deleted, \(total) stored"
    )
  }
}

// MARK: - Printing

extension ClientCommand {
  /// Prints earthquakes, with the mark of the change if they were changed.
  func print(_ quakes: [Quake], as change: Change? = nil) throws {
    if context.isJSON {
      for quake in quakes {
        let row = try JSONValue(parsing: try StrictJSONEncoder().encode(quake))
        try context.output.json(change.map { change in [change.rawValue: row] } ?? row)
      }
      return
    }
    var table = TextTable([.left, .right, .left, .left])
    let style = Date.ISO8601FormatStyle()
    for quake in quakes {
      // One decimal, independent of the locale, so programs can parse it.
      let magnitude = (quake.magnitude * 10).rounded() / 10
      table.append([quake.id, "\(magnitude)", quake.time.formatted(style), quake.name])
    }
    let mark = change.map { change in change.mark + " " } ?? ""
    try context.output.lines(table.lines().map { line in mark + line })
  }
}
