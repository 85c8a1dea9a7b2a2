import AsyncSequenceTestUtils
import FoodTruckData
import ImmutableData

/// A store for listeners whose stream a test feeds, and that writes down what is dispatched to it.
@MainActor
final class TruckStoreDouble: Dispatcher, ImmutableData.Selector, Streamer {
  typealias State = FoodTruckState
  typealias Action = FoodTruckAction
  typealias Element = (oldState: FoodTruckState, action: FoodTruckAction)

  struct Refusal: Error {}

  /// What selections are made from.
  var state = FoodTruckState()
  /// Whether dispatching throws.
  var refuses = false
  private(set) var dispatched: [FoodTruckAction] = []
  private(set) var streams: [AsyncSequenceTestDouble<Element>] = []

  func dispatch(action: FoodTruckAction) throws {
    if refuses { throw Refusal() }
    dispatched.append(action)
    state = try FoodTruckReducer.reduce(state: state, action: action)
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

  /// Tells the newest stream of an action, and returns when its listener is done with it.
  func tell(_ action: FoodTruckAction, in oldState: FoodTruckState) async {
    await streams[streams.count - 1].iterator.resume(returning: (oldState: oldState, action: action))
  }
}

/// A session that writes down what it is asked for.
@MainActor
final class ActivitySessionDouble: StoreListenerActivitySession {
  enum Call: Equatable { case start(Order), end(Order) }

  private(set) var calls: [Call] = []

  func startActivity(_ order: Order) { calls.append(.start(order)) }

  func endActivity(_ order: Order) { calls.append(.end(order)) }
}

/// A mutable model that writes down what it is asked for.
@MainActor
final class ModelDouble: StoreListenerModel {
  enum Call: Equatable { case add, next(Order.ID), complete(Order.ID), save(Donut) }

  private(set) var calls: [Call] = []

  func addOrder() { calls.append(.add) }

  func markOrderAsNextStep(id: Order.ID) { calls.append(.next(id)) }

  func markOrderAsCompleted(id: Order.ID) { calls.append(.complete(id)) }

  func saveDonut(_ donut: Donut) { calls.append(.save(donut)) }
}

/// A mutable model whose tables a test sends one by one.
@MainActor
final class TablesDouble: ModelListenerModel {
  private(set) var orders: [AsyncSequenceTestDouble<[Order]>] = []
  private(set) var donuts: [AsyncSequenceTestDouble<[Donut]>] = []

  func makeOrdersSequence() -> AsyncSequenceTestDouble<[Order]> {
    orders.append(AsyncSequenceTestDouble())
    return orders[orders.count - 1]
  }

  func makeDonutsSequence() -> AsyncSequenceTestDouble<[Donut]> {
    donuts.append(AsyncSequenceTestDouble())
    return donuts[donuts.count - 1]
  }
}
