/// A weak reference to a store, to know it again.
struct WeakReference: Sendable {
  // A weak reference to a Sendable class; only its identity is compared.
  weak var object: (any AnyObject & Sendable)?

  init(_ object: (any AnyObject & Sendable)? = nil) {
    self.object = object
  }
}
