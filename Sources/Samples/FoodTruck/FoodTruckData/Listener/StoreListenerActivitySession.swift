/// What shows on the outside that an order is being prepared: a live activity, a notification, a lamp above the counter.
///
/// Activities are side effects. A replay holds only the model and starts none; a listener acts on what happens now.
///
/// - SeeAlso: ``TruckActivitySession``
public protocol StoreListenerActivitySession: Sendable {
  /// The preparation of an order began. It is told as the order stood before.
  @MainActor func startActivity(_ order: Order)

  /// The preparation of an order is over. It is told as the order stood before.
  @MainActor func endActivity(_ order: Order)
}

/// No session at all: there is no value that could be asked.
extension Never: StoreListenerActivitySession {
  /// Is never called.
  public func startActivity(_ order: Order) {}

  /// Is never called.
  public func endActivity(_ order: Order) {}
}
