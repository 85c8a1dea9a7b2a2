public import Foundation
import TreeCollections

/// A session that records the live activities and notifications that a device would show.
///
/// Live activities and notifications are only available on some platforms. The recorded effects are the same
/// everywhere.
@MainActor
public final class TruckActivitySession: StoreListenerActivitySession {
  /// The duration of the preparation.
  private static let preparation: TimeInterval = 60
  /// The time after which an activity that has not ended is out of date.
  private static let staleness: TimeInterval = 2 * 60

  /// The maximum number of recorded effects, about those of a day, to limit the memory of long-running processes.
  private static let effectLimit = 10_000

  /// The last 10 000 effects, in order.
  public private(set) var effects: [TruckActivityEffect] = []
  /// The running activities, oldest first. An order can have two.
  public private(set) var running: [TruckActivity] = []

  private let now: @Sendable () -> Date

  /// Creates a session without running activities.
  public init(now: @escaping @Sendable () -> Date = { Date() }) {
    self.now = now
  }

  /// Starts an activity, and schedules a notification for the time when the donuts are done.
  public func startActivity(_ order: Order) {
    let now = now()
    let activity = TruckActivity(
      orderNumber: order.number, donutIDs: order.donuts.map(\.id), sales: order.sales,
      timerEnd: now + Self.preparation, staleDate: now + Self.staleness)
    running.append(activity)
    note([
      .start(activity), .askForPermission,
      .notify(
        title: "Donuts are done!", body: "Order \(order.number) is ready to be taken out.",
        after: .seconds(Int(Self.preparation))),
    ])
  }

  /// Ends all activities of the order.
  public func endActivity(_ order: Order) {
    note(running.filter { activity in activity.orderNumber == order.number }.map(TruckActivityEffect.end))
    running.removeAll { activity in activity.orderNumber == order.number }
  }

  private func note(_ new: [TruckActivityEffect]) {
    effects += new
    if effects.count > Self.effectLimit { effects.removeFirst(effects.count - Self.effectLimit) }
  }
}

/// The activity that a device shows while an order is being prepared.
///
/// A session stores each activity several times: in the running activities, and in the effects that start and end it.
/// The copies share their fields in a box, so a copy is one reference, and copies are equal without comparing fields.
public struct TruckActivity: Hashable, Sendable {
  private struct Fields: Hashable, Sendable {
    var orderNumber: String
    var donutIDs: [Donut.ID]
    var sales: [Donut.ID: Int]
    var timerEnd: Date
    var staleDate: Date
  }

  private let fields: CowBox<Fields>

  init(orderNumber: String, donutIDs: [Donut.ID], sales: [Donut.ID: Int], timerEnd: Date, staleDate: Date) {
    fields = CowBox(
      Fields(orderNumber: orderNumber, donutIDs: donutIDs, sales: sales, timerEnd: timerEnd, staleDate: staleDate))
  }
}

extension TruckActivity {
  /// The title of the activity.
  public static let name = "Order preparation activity."

  /// The number of the order.
  public var orderNumber: String { fields.orderNumber }
  /// The ids of the ordered donuts.
  public var donutIDs: [Donut.ID] { fields.donutIDs }
  /// The number of each donut.
  public var sales: [Donut.ID: Int] { fields.sales }
  /// The time at which the donuts are done.
  public var timerEnd: Date { fields.timerEnd }
  /// The time after which an activity that was not ended is out of date.
  public var staleDate: Date { fields.staleDate }
}

/// A request of a session to the device.
public enum TruckActivityEffect: Hashable, Sendable {
  case start(TruckActivity)
  case askForPermission
  case notify(title: String, body: String, after: Duration)
  case end(TruckActivity)
}
