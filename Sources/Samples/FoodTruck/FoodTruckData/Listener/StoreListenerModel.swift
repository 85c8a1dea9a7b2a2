/// What a ``StoreListener`` asks of the mutable model of the mirrored form: ``FoodTruckModel``, or a test's double.
@MainActor
package protocol StoreListenerModel: AnyObject, Sendable {
  /// Makes up an order, and appends it.
  func addOrder()
  /// Advances an order; does nothing when there is no such order or no next status.
  func markOrderAsNextStep(id: Order.ID)
  /// Completes an order; does nothing when there is no such order.
  func markOrderAsCompleted(id: Order.ID)
  /// Replaces the donut with the same id, or appends a new one.
  func saveDonut(_ donut: Donut)
}
