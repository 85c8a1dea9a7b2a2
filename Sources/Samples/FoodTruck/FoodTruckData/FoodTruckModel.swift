import EventSourcing
public import Foundation
public import Observation
import Platform
import SampleSupport

/// The mutable model of the legacy application: the source of truth of the mirrored form.
///
/// A ``StoreListener`` calls it for actions of the user; a ``ModelListener`` dispatches its tables to the store. It
/// also generates orders of customers.
@MainActor @Observable
public final class FoodTruckModel: Sendable {
  /// The pause between two customers, in seconds.
  private static let pause = 3...8
  /// The seed of the orders and pauses.
  private static let seed: UInt64 = 5

  /// All orders, oldest first.
  public private(set) var orders: [Order] {
    didSet { ordersChanges.send(ModelTable(orders, meta: RecordMeta.current)) }
  }
  /// All donuts.
  public private(set) var donuts: [Donut] {
    didSet { donutsChanges.send(ModelTable(donuts, meta: RecordMeta.current)) }
  }
  /// The truck.
  public private(set) var truck: Truck

  @ObservationIgnored private var generator = SplitMix64(seed: FoodTruckModel.seed)
  @ObservationIgnored private var task: Task<Void, Never>?
  private let ordersChanges = LatestValue<ModelTable<Order>>()
  private let donutsChanges = LatestValue<ModelTable<Donut>>()
  private let now: @Sendable () -> Date

  /// Creates a model.
  public init(
    orders: [Order] = [], donuts: [Donut] = Donut.all, truck: Truck = Truck(), customers: Int = 20,
    clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.orders = orders
    self.donuts = donuts
    self.truck = truck
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
    guard let index = orders.firstIndex(where: { order in order.id == id }) else { return }
    orders[index].markAsNextStep { _ in }
  }

  package func markOrderAsCompleted(id: Order.ID) {
    guard let index = orders.firstIndex(where: { order in order.id == id }) else { return }
    orders[index].status = .completed
  }

  /// Replaces the donut with the same id, or appends a new one, like the legacy editor.
  ///
  /// Orders in the model keep the donut from the time when they were placed. Selectors of the state join orders with
  /// the current donuts instead.
  public func saveDonut(_ donut: Donut) {
    if let index = donuts.firstIndex(where: { known in known.id == donut.id }) {
      donuts[index] = donut
    } else {
      donuts.append(donut)
    }
  }
}

extension FoodTruckModel: ModelListenerModel {
  package func makeOrdersSequence() -> AsyncStream<ModelTable<Order>> {
    ordersChanges.makeStream(current: ModelTable(orders))
  }

  package func makeDonutsSequence() -> AsyncStream<ModelTable<Donut>> {
    donutsChanges.makeStream(current: ModelTable(donuts))
  }
}

/// Broadcasts a changing value to several consumers. A stream begins with the current value; a slow consumer skips to
/// the last one.
@MainActor
final class LatestValue<Value: Sendable>: Sendable {
  private var count = 0
  private var continuations: [Int: AsyncStream<Value>.Continuation] = [:]

  deinit {
    for continuation in continuations.values { continuation.finish() }
  }

  /// Creates a stream for one consumer. It ends when this object is deinitialized.
  func makeStream(current: Value) -> AsyncStream<Value> {
    count += 1
    let number = count
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.continuations[number] = nil }
    }
    continuations[number] = continuation
    continuation.yield(current)
    return stream
  }

  func send(_ value: Value) {
    for continuation in continuations.values { continuation.yield(value) }
  }
}
