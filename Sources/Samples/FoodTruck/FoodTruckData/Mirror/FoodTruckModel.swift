public import Foundation
public import Observation

/// The mutable model of the legacy application: the source of truth of the mirrored form.
///
/// What people do reaches it through a ``StoreListener``; what it holds reaches the store through a ``ModelListener``.
/// Customers come by themselves, as often as its initialiser says.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide.
@MainActor @Observable
public final class FoodTruckModel: Sendable {
  /// How long customers keep away, in seconds.
  private static let pause = 3...8
  /// The seed of what customers order and when they come.
  private static let seed: UInt64 = 5

  /// All orders, the oldest first.
  public private(set) var orders: [Order] {
    didSet { ordersChanges.send(orders) }
  }
  /// All donuts.
  public private(set) var donuts: [Donut] {
    didSet { donutsChanges.send(donuts) }
  }
  /// The truck.
  public private(set) var truck: Truck
  /// The donut that the legacy editor works on; ``saveNewDonut()`` takes it over.
  public var newDonut: Donut

  @ObservationIgnored private var generator = SeededRandomGenerator(seed: FoodTruckModel.seed)
  @ObservationIgnored private var task: Task<Void, Never>?
  private let ordersChanges = LatestValue<[Order]>()
  private let donutsChanges = LatestValue<[Donut]>()
  private let now: @Sendable () -> Date

  /// Makes a model.
  ///
  /// - Parameters:
  ///   - orders: The orders it begins with, the oldest first.
  ///   - donuts: The donuts it begins with.
  ///   - truck: The truck.
  ///   - customers: How many customers come by themselves, one after the other.
  ///   - clock: What waits between customers.
  ///   - now: What says the time.
  public init(
    orders: [Order] = [], donuts: [Donut] = Donut.all, truck: Truck = Truck(), customers: Int = 20,
    clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.orders = orders
    self.donuts = donuts
    self.truck = truck
    self.newDonut = Donut(id: (donuts.map(\.id).max() ?? 0) + 1, name: "New Donut", dough: "yeast")
    self.now = now
    guard customers > 0 else { return }
    task = Task { [weak self] in
      for _ in 0..<customers {
        guard let pause = self?.nextPause() else { return }
        do { try await clock.sleep(for: pause) } catch { return }
        self?.addOrder()
      }
    }
  }

  deinit {
    task?.cancel()
  }

  private func nextPause() -> Duration { generator.seconds(in: Self.pause) }
}

extension FoodTruckModel: StoreListenerModel {
  package func addOrder() {
    let orderGenerator = OrderGenerator(knownDonuts: donuts, cityID: truck.cityID)
    orders.append(orderGenerator.generateOrder(number: orders.count + 1, date: now(), generator: &generator))
  }

  package func markOrderAsNextStep(id: Order.ID) {
    guard let place = orders.firstIndex(where: { order in order.id == id }) else { return }
    orders[place].markAsNextStep { _ in }
  }

  package func markOrderAsCompleted(id: Order.ID) {
    guard let place = orders.firstIndex(where: { order in order.id == id }) else { return }
    orders[place].status = .completed
  }

  /// Replaces the donut with the same id, or appends a new one: what the legacy editor does.
  ///
  /// Orders in the model keep the donut as it was when they were placed. In the state they do not: selectors join.
  ///
  /// - Complexity: O(number of donuts).
  public func saveDonut(_ donut: Donut) {
    if let place = donuts.firstIndex(where: { known in known.id == donut.id }) {
      donuts[place] = donut
    } else {
      donuts.append(donut)
    }
  }

  /// Takes over ``newDonut``, and begins another one. An id at the end of the range of numbers begins no other one.
  public func saveNewDonut() {
    saveDonut(newDonut)
    let (next, overflow) = (donuts.map(\.id).max() ?? 0).addingReportingOverflow(1)
    if !overflow { newDonut = Donut(id: next, name: "New Donut", dough: "yeast") }
  }
}

extension FoodTruckModel: ModelListenerModel {
  package func makeOrdersSequence() -> AsyncStream<[Order]> { ordersChanges.makeStream(current: orders) }

  package func makeDonutsSequence() -> AsyncStream<[Donut]> { donutsChanges.makeStream(current: donuts) }
}
