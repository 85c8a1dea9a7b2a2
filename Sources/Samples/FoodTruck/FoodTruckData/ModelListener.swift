package import EventSourcing
public import ImmutableData

/// A complete table of a model, with the metadata of the change that led to it.
package struct ModelTable<Row: Equatable & Sendable>: Equatable, Sendable {
  package let rows: [Row]
  /// For the effect of an action, metadata with its cause; `nil` for a change by the model itself.
  package let meta: RecordMeta?

  package init(_ rows: [Row], meta: RecordMeta? = nil) {
    self.rows = rows
    self.meta = meta
  }
}

/// A model that a ``ModelListener`` follows: two tables, each an asynchronous sequence that begins with the current
/// value.
///
/// The sequences may skip intermediate values, but not the last one.
@MainActor
package protocol ModelListenerModel: AnyObject, Sendable {
  associatedtype Orders: AsyncSequence & Sendable where Orders.Element == ModelTable<Order>
  associatedtype Donuts: AsyncSequence & Sendable where Donuts.Element == ModelTable<Donut>

  func makeOrdersSequence() -> Orders
  func makeDonutsSequence() -> Donuts
}

/// Dispatches the complete tables of a mutable model to a store whenever they change: the mirrored form.
///
/// The walk-through uses Combine; this listener uses asynchronous sequences. A table that an effect of an action changed names the action
/// in `meta.cause` of its record; of several, the last.
@MainActor
public final class ModelListener: Sendable {
  private let onError: (@Sendable (any Error) -> Void)?
  private weak var model: AnyObject?
  private var tasks: [Task<Void, Never>] = []

  /// The last error. If a sequence fails, its table is no longer updated. If the store refuses a table, the next one is
  /// dispatched.
  public private(set) var lastError: (any Error)?

  /// Creates a listener.
  public init(onError: (@Sendable (any Error) -> Void)? = nil) {
    self.onError = onError
  }

  deinit {
    for task in tasks { task.cancel() }
  }

  /// Dispatches the model's tables, beginning with the current ones, and stops following the previous model. The call
  /// does nothing if the listener already follows `model`.
  public func listen(
    to model: FoodTruckModel, with dispatcher: some Dispatcher<FoodTruckState, FoodTruckAction>
  ) {
    listen(following: model, with: dispatcher)
  }

  /// Dispatches the tables of any model.
  package func listen(
    following model: some ModelListenerModel, with dispatcher: some Dispatcher<FoodTruckState, FoodTruckAction>
  ) {
    guard self.model !== model else { return }
    self.model = model
    for task in tasks { task.cancel() }
    tasks = [
      follow(model.makeOrdersSequence()) { orders in
        try dispatcher.dispatch(action: .data(.modelListener(.didReceiveOrders(orders.rows))))
      },
      follow(model.makeDonutsSequence()) { donuts in
        try dispatcher.dispatch(action: .data(.modelListener(.didReceiveDonuts(donuts.rows))))
      },
    ]
  }

  private func follow<Tables: AsyncSequence & Sendable, Row>(
    _ tables: Tables, _ send: @escaping @MainActor (ModelTable<Row>) throws -> Void
  ) -> Task<Void, Never> where Tables.Element == ModelTable<Row> {
    Task { [weak self] in
      do {
        for try await table in tables {
          if Task.isCancelled { return }
          do {
            try RecordMeta.$current.withValue(table.meta ?? RecordMeta.current) { try send(table) }
          } catch {
            self?.report(error)
          }
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
