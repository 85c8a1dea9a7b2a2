import ActionLogTool
import Foundation
import QuakesUI
import QuakesWiring

extension Command {
  /// The only command of the program.
  static let quakes = Command(
    "",
    summary: "earthquakes in the terminal: a list, a map, and everything that happened in a log",
    details: """
      Everything that is done and fetched is recorded in DIR/log, which 'action-log' reads, and the earthquakes are kept in
      DIR/default.store, so that the next start goes on where this one ended, however it ended. Where you were is kept in
      DIR/place.json, which is no log. Press ? for the keys.
      """,
    examples: [
      .init("", "earthquakes of the United States Geological Survey; r asks for them"),
      .init("--sample", "made up, without network"),
      .init("--data ~/quakes --map ascii", "another directory; a map of letters and digits"),
    ],
    options: ProgramOptions.all + FeedOptions.all,
    asynchronous: { context in
      do {
        try context.requireScreen()
        let options = try ProgramOptions(context)
        let feeds = try FeedOptions(context, now: options.now).store
        return try await QuakesProgram(context: context, options: options, feeds: feeds).run()
      } catch {
        throw ToolFailure(quakes: error) ?? error
      }
    })
}

/// What the command line says, besides where feeds come from.
struct ProgramOptions: Sendable {
  private static let map = CommandOption.choice(
    "map", of: ["braille", "blocks", "ascii"], "what the map is drawn with")
  private static let timeZone = CommandOption.value(
    "time-zone", "ID", "when days begin, for instance UTC (default: here)")
  private static let now = CommandOption.value(
    "now", "TIME", "what counts as now, for instance 2026-11-21T12:00:00Z, to look at recorded feeds")

  static let all = [DataFolder.option, map, timeZone, now]

  let mapStyle: MapStyle
  let calendar: Calendar
  let now: @Sendable () -> Date

  init(_ context: CommandContext) throws {
    let arguments = context.arguments
    mapStyle =
      switch arguments.value(of: Self.map) {
      case "blocks": .blocks
      case "ascii": .ascii
      case "braille": .braille
      default: Self.isPlain(context.environment.variables) ? .ascii : .braille
      }
    var calendar = Calendar(identifier: .gregorian)
    if let text = arguments.value(of: Self.timeZone) {
      guard let zone = TimeZone(identifier: text) else {
        throw ToolFailure.usage("--time-zone takes a name like UTC or Europe/Berlin, not '\(text)'")
      }
      calendar.timeZone = zone
    }
    self.calendar = calendar
    if let text = arguments.value(of: Self.now) {
      let date: Date
      do { date = try Date(text, strategy: .iso8601) } catch {
        throw ToolFailure.usage("--now takes a time like 2026-11-21T12:00:00Z, not '\(text)'")
      }
      now = { date }
    } else {
      now = { Date() }
    }
  }

  /// Whether the person has said that there are no characters beyond ASCII.
  private static func isPlain(_ variables: [String: String]) -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { name in variables[name] }.first { value in !value.isEmpty }
    return name == "C" || name == "POSIX"
  }
}
