import ActionLogTool
import FoodTruckData
import Foundation

extension Command {
  /// The only command of the program.
  static let foodTruck = Command(
    "",
    summary: "a food truck in the terminal: orders that come, are prepared and handed over, and what sells",
    details: """
      Everything that happens is recorded in DIR/log, which 'action-log' reads, so that the next start goes on where this
      one ended, however it ended. Where you were is kept in DIR/place.json, which is no log. Orders are made up; 'l' lets
      customers come by themselves, '+' makes them come faster.
      """,
    examples: [
      .init("", "the truck, as it was left"),
      .init("--live --speed 8", "customers come at once, and fast"),
      .init("--data ~/truck --seed 7", "another directory; other orders"),
    ],
    options: FoodTruckOptions.all,
    asynchronous: { context in
      try context.requireScreen()
      return try await FoodTruckProgram(context: context, options: try FoodTruckOptions(context)).run()
    })
}

/// What the command line says.
struct FoodTruckOptions: Sendable {
  private static let seed = CommandOption.value("seed", "NUMBER", "decides what customers order (default: 5)")
  private static let from = CommandOption.value(
    "from", "TIME", "place one order a minute from this time on, for instance 2026-11-21T09:00:00Z (default: now)")
  private static let live = CommandOption.flag("live", "let customers come at once")
  private static let speed = CommandOption.choice(
    "speed", of: OrderFeed.speeds.map(String.init), "how many times faster than every 3 to 8 seconds they come")

  static let all = [DataFolder.option, seed, from, live, speed]

  let source: OrderSource
  let seed: UInt64
  let isLive: Bool
  let speed: Int
  let timeZone: TimeZone

  init(_ context: CommandContext) throws {
    let arguments = context.arguments
    // A whole number of the parser is an Int; half of all seeds are enough.
    seed = UInt64(try arguments.integer(of: Self.seed, in: 0...Int.max) ?? 5)
    isLive = arguments.has(Self.live)
    speed = arguments.value(of: Self.speed).flatMap { text in Int(text) } ?? 1
    if let text = arguments.value(of: Self.from) {
      let start: Date
      do { start = try Date(text, strategy: .iso8601) } catch {
        throw ToolFailure.usage("--from takes a time like 2026-11-21T09:00:00Z, not '\(text)'")
      }
      source = OrderSource(seed: seed) { number in start.addingTimeInterval(60 * Double(number - 1)) }
      timeZone = .gmt
    } else {
      source = OrderSource(seed: seed)
      timeZone = .current
    }
  }
}
