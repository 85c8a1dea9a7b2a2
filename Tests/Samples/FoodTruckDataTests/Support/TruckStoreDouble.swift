import AsyncSequenceTestUtils
import EventSourcing
import FoodTruckData
import ImmutableData

/// A store for listeners whose stream is fed by a test, and which records dispatched actions.
@MainActor
final class TruckStoreDouble: Dispatcher, ImmutableData.Selector, Streamer {
  typealias State = FoodTruckState
  typealias Action = FoodTruckAction
  typealias Element = (oldState: FoodTruckState, action: FoodTruckAction)

  struct Refusal: Error {}

  /// The state of selections.
  var state = FoodTruckState()
  /// Whether dispatches throw.
  var refuses = false
  private(set) var dispatched: [FoodTruckAction] = []
  private(set) var streams: [AsyncSequenceTestDouble<Element>] = []

  func dispatch(action: FoodTruckAction) throws {
    if refuses { throw Refusal() }
    dispatched.append(action)
    state = try FoodTruckLog.reducer(state, action)
  }

  func dispatch(thunk: @Sendable (TruckStoreDouble, TruckStoreDouble) throws -> Void) rethrows {
    try thunk(self, self)
  }

  func dispatch(thunk: @Sendable (TruckStoreDouble, TruckStoreDouble) async throws -> Void) async rethrows {
    try await thunk(self, self)
  }

  func select<T: Sendable>(_ selector: @Sendable (FoodTruckState) -> T) -> T { selector(state) }

  func makeStream() -> AsyncSequenceTestDouble<Element> {
    streams.append(AsyncSequenceTestDouble())
    return streams[streams.count - 1]
  }

  /// Sends an action to the newest stream, and returns after its listener handled it.
  func send(_ action: FoodTruckAction, in oldState: FoodTruckState) async {
    await streams[streams.count - 1].iterator.resume(returning: (oldState: oldState, action: action))
  }
}

/// A session that records its calls.
@MainActor
final class ActivitySessionDouble: StoreListenerActivitySession {
  enum Call: Equatable { case start(Order), end(Order) }

  private(set) var calls: [Call] = []

  func startActivity(_ order: Order) { calls.append(.start(order)) }

  func endActivity(_ order: Order) { calls.append(.end(order)) }
}

/// A mutable model that records its calls.
@MainActor
final class ModelDouble: StoreListenerModel {
  enum Call: Equatable { case add, next(Order.ID), complete(Order.ID), save(Donut) }

  private(set) var calls: [Call] = []

  func addOrder() { calls.append(.add) }

  func markOrderAsNextStep(id: Order.ID) { calls.append(.next(id)) }

  func markOrderAsCompleted(id: Order.ID) { calls.append(.complete(id)) }

  func saveDonut(_ donut: Donut) { calls.append(.save(donut)) }
}

/// A mutable model whose tables are sent by a test.
@MainActor
final class TablesDouble: ModelListenerModel {
  private(set) var orders: [AsyncSequenceTestDouble<ModelTable<Order>>] = []
  private(set) var donuts: [AsyncSequenceTestDouble<ModelTable<Donut>>] = []

  func makeOrdersSequence() -> AsyncSequenceTestDouble<ModelTable<Order>> {
    orders.append(AsyncSequenceTestDouble())
    return orders[orders.count - 1]
  }

  func makeDonutsSequence() -> AsyncSequenceTestDouble<ModelTable<Donut>> {
    donuts.append(AsyncSequenceTestDouble())
    return donuts[donuts.count - 1]
  }
}

/// A clock controlled by a test: each sleep ends with one turn, which returns when the next sleep begins.
struct TurnClock: Clock {
  let turns = AsyncSequenceTestDouble<Void>()
  private let sleeps: @Sendable (Duration) -> Void

  init(_ sleeps: @escaping @Sendable (Duration) -> Void = { _ in }) {
    self.sleeps = sleeps
  }

  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  var now: Instant { Instant() }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    sleeps(deadline.offset)
    // A separate iterator would end and resume the test before the sleeper has continued.
    guard await turns.iterator.next() != nil else { throw CancellationError() }
  }
}
