public import ImmutableData

/// What a ``ModelListener`` follows: two tables, each as an asynchronous sequence whose current value comes first.
///
/// In between, values may be left out; the last one must come.
@MainActor
package protocol ModelListenerModel: AnyObject, Sendable {
  /// All orders, again after every change.
  associatedtype Orders: AsyncSequence & Sendable where Orders.Element == [Order]
  /// All donuts, again after every change.
  associatedtype Donuts: AsyncSequence & Sendable where Donuts.Element == [Donut]

  /// Makes a sequence of orders for one consumer.
  func makeOrdersSequence() -> Orders
  /// Makes a sequence of donuts for one consumer.
  func makeDonutsSequence() -> Donuts
}

/// Sends the tables of a mutable model to a store, as a whole, whenever they change: the mirrored form.
///
/// The walk-through uses Combine; any asynchronous sequence serves here.
@MainActor
public final class ModelListener: Sendable {
  private let onError: (@Sendable (any Error) -> Void)?
  private weak var model: AnyObject?
  private var tasks: [Task<Void, Never>] = []

  /// What went wrong last: a sequence failed, which ends its table, or the store refused a table, after which the next
  /// one is tried.
  public private(set) var lastError: (any Error)?

  /// Makes a listener.
  ///
  /// - Parameter onError: Told of everything that goes wrong.
  public init(onError: (@Sendable (any Error) -> Void)? = nil) {
    self.onError = onError
  }

  deinit {
    for task in tasks { task.cancel() }
  }

  /// Sends the model's tables, the current ones first, and to no other model's any more. The same model again does
  /// nothing.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - dispatcher: Where the tables go.
  public func listen(
    to model: FoodTruckModel, with dispatcher: some Dispatcher<FoodTruckState, FoodTruckAction>
  ) {
    listen(following: model, with: dispatcher)
  }

  /// Sends the tables of any model.
  package func listen(
    following model: some ModelListenerModel, with dispatcher: some Dispatcher<FoodTruckState, FoodTruckAction>
  ) {
    guard self.model !== model else { return }
    self.model = model
    for task in tasks { task.cancel() }
    tasks = [
      follow(model.makeOrdersSequence()) { orders in
        try dispatcher.dispatch(action: .data(.modelListener(.didReceiveOrders(orders))))
      },
      follow(model.makeDonutsSequence()) { donuts in
        try dispatcher.dispatch(action: .data(.modelListener(.didReceiveDonuts(donuts))))
      },
    ]
  }

  private func follow<Tables: AsyncSequence & Sendable>(
    _ tables: Tables, _ send: @escaping @MainActor (Tables.Element) throws -> Void
  ) -> Task<Void, Never> where Tables.Element: Sendable {
    Task { [weak self] in
      do {
        for try await table in tables {
          if Task.isCancelled { return }
          do { try send(table) } catch { self?.report(error) }
        }
      } catch {
        self?.report(error)
      }
    }
  }

  private func report(_ error: any Error) {
    lastError = error
    onError?(error)
  }
}
