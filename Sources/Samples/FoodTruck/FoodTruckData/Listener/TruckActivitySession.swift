public import Foundation
import TreeCollections

/// A session that writes down what a device would do: what it shows, which notification it plans, and what is running.
///
/// Live activities and notifications exist on some platforms only; what is asked of them is the same everywhere, and can
/// be looked at.
@MainActor
public final class TruckActivitySession: StoreListenerActivitySession {
  /// How long the donuts take.
  private static let preparation: TimeInterval = 60
  /// After this an activity that was not ended is not to be believed any more.
  private static let staleness: TimeInterval = 2 * 60

  /// More than anybody looks back at: what a day asks for. A truck that runs for weeks must not grow by it.
  private static let effectLimit = 10_000

  /// What was asked for, in order: the last 10 000 of it.
  public private(set) var effects: [TruckActivityEffect] = []
  /// What is shown now, the oldest first. The same order can be there twice.
  public private(set) var running: [TruckActivity] = []

  private let now: @Sendable () -> Date

  /// Makes a session in which nothing runs.
  ///
  /// - Parameter now: What says the time.
  public init(now: @escaping @Sendable () -> Date = { Date() }) {
    self.now = now
  }

  /// Shows an activity, and plans a notification for the moment when the donuts are done.
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

  /// Ends every activity of the order, at once.
  public func endActivity(_ order: Order) {
    note(running.filter { activity in activity.orderNumber == order.number }.map(TruckActivityEffect.end))
    running.removeAll { activity in activity.orderNumber == order.number }
  }

  private func note(_ new: [TruckActivityEffect]) {
    effects += new
    if effects.count > Self.effectLimit { effects.removeFirst(effects.count - Self.effectLimit) }
  }
}

/// The activity that a device shows while an order is prepared.
///
/// A session keeps each activity several times: among those that run, in the effect that started it and in the one that ended
/// it. The copies share their fields in a box, so a copy is one reference, and copies are equal without comparing fields.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 18 (`@CowBox`).
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

  /// The number of the order, without the prefix of all ids.
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

/// Something that a session asked of the device.
public enum TruckActivityEffect: Hashable, Sendable {
  /// To show an activity.
  case start(TruckActivity)
  /// To ask people whether they want notifications.
  case askForPermission
  /// To post a notification later.
  case notify(title: String, body: String, after: Duration)
  /// To show an activity no longer.
  case end(TruckActivity)
}
