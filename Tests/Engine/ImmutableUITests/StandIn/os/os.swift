// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Glibc

/// A substitute for the lock of the module `os`, with its signatures.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  // Shared by the copies of the lock, as in the original. Only the holder of the mutex accesses the value.
  private final class Storage {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    var state: State

    init(_ state: State) {
      self.state = state
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }
  }

  private let storage: Storage

  public init(uncheckedState state: State) { storage = Storage(state) }

  public init(initialState state: State) where State: Sendable { storage = Storage(state) }

  public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(storage.mutex)
    defer { pthread_mutex_unlock(storage.mutex) }
    return try body(&storage.state)
  }

  public func withLock<Result: Sendable>(
    _ body: @Sendable (inout State) throws -> Result
  ) rethrows -> Result {
    try withLockUnchecked(body)
  }
}
