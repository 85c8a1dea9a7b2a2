public import SampleSupport

/// Translates actions of the event-sourced form to the mirrored form.
///
/// It is the mutable model of the mirrored form as a value. ``FoodTruckModel`` and its listeners work asynchronously
/// and can skip intermediate tables; this type skips none, so its results are reproducible.
public struct FoodTruckMirror: Sendable {
  private var orders: [Order] = []
  private var indexes: [Order.ID: Int] = [:]
  private var donuts: [Donut] = []

  /// Creates an empty model.
  public init() {}

  /// Returns the actions of the mirrored form for one action of the event-sourced form.
  ///
  /// - Returns: The unchanged action of the user, followed by the complete table that it changed. The result is empty
  ///   for activities, which the mirrored form does not record.
  /// - Complexity: O(1); O(*n*) to encode a returned table of *n* rows.
  public mutating func actions(for action: FoodTruckAction) -> [FoodTruckAction] {
    switch action {
    case .ui(.orderDetailView(.onTapStatusButton(let orderID))):
      return [action] + change(orderID) { order in order.markAsNextStep { _ in } }
    case .ui(.ordersView(.onTapCompleteOrderButton(let orderID))):
      return [action] + change(orderID) { order in order.status = .completed }
    case .ui(.ordersView(.onTapAddOrderButton)):
      return [action]
    case .ui(.donutEditor(.onTapSaveDonutButton(let donut))):
      return [action] + save(donut)
    case .data(.modelListener(.didReceiveOrders(let orders))):
      self.orders = orders
      indexes = Dictionary(orders.indices.map { index in (orders[index].id, index) }) { _, last in last }
      return [action]
    case .data(.modelListener(.didReceiveDonuts(let donuts))):
      self.donuts = donuts
      return [action]
    case .data(.storeListener(.didPlaceOrder(let stored))):
      return place(Order(stored) { donutID in donuts.first { donut in donut.id == donutID } })
    case .data(.storeListener(.didStartActivity)), .data(.storeListener(.didEndActivity)):
      return []
    }
  }

  private mutating func place(_ order: Order) -> [FoodTruckAction] {
    if let index = indexes[order.id] {
      orders[index] = order
    } else {
      indexes[order.id] = orders.count
      orders.append(order)
    }
    return [table]
  }

  private mutating func change(_ orderID: Order.ID, _ change: (inout Order) -> Void) -> [FoodTruckAction] {
    guard let index = indexes[orderID] else { return [] }
    change(&orders[index])
    return [table]
  }

  private mutating func save(_ donut: Donut) -> [FoodTruckAction] {
    if let index = donuts.firstIndex(where: { known in known.id == donut.id }) {
      donuts[index] = donut
    } else {
      donuts.append(donut)
    }
    return [.data(.modelListener(.didReceiveDonuts(donuts)))]
  }

  private var table: FoodTruckAction { .data(.modelListener(.didReceiveOrders(orders))) }
}

/// The actions of ``FoodTruckWorkload`` in the mirrored form, as complete tables. The sequence is infinite: take a prefix.
///
/// Its actions grow with the table, which the walk-through names as the cost of this form: a log of *n* actions has
/// O(*n*²) bytes.
public struct FoodTruckMirrorWorkload: Sequence, IteratorProtocol, Sendable {
  private var days: FoodTruckWorkload
  private var mirror = FoodTruckMirror()
  /// The pending actions, in reverse order.
  private var waiting: [FoodTruckAction] = []

  /// Creates a workload.
  public init(seed: UInt64) {
    days = FoodTruckWorkload(seed: seed)
  }

  /// The next action. It is never `nil`.
  public mutating func next() -> FoodTruckAction? {
    // Activities, at most every second action, have no mirrored action.
    while waiting.isEmpty {
      guard let action = days.next() else { return nil }
      waiting = mirror.actions(for: action).reversed()
    }
    return waiting.removeLast()
  }
}

extension FoodTruckMirrorWorkload {
  /// The story of ``FoodTruckWorkload/story`` in its mirrored form.
  public static let story: [FoodTruckWorkload.Step] = {
    var mirror = FoodTruckMirror()
    var steps: [FoodTruckWorkload.Step] = []
    var pause = Duration.zero
    for step in FoodTruckWorkload.story {
      pause += step.pause
      let actions = mirror.actions(for: step.action)
      for (index, action) in actions.enumerated() {
        // The model answers immediately.
        steps.append(FoodTruckWorkload.Step(index == 0 ? pause : .milliseconds(1), action))
      }
      if !actions.isEmpty { pause = .zero }
    }
    return steps
  }()
}
