#if THREAD_SANITIZER && !canImport(os)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A lock that ThreadSanitizer sees.
///
/// On Linux `Synchronization.Mutex` is a futex of its own, which the sanitizer knows nothing of: it would report every value
/// behind it as a race. It does know `pthread_mutex_t`, so that builds with `-DTHREAD_SANITIZER` stand on that.
// What changes lies behind two addresses that belong to the object alone; the value is touched by the holder of the mutex only.
@usableFromInline
final class WatchedMutex<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let value: UnsafeMutablePointer<Value>

  @usableFromInline
  init(_ value: Value) {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    // Default attributes cannot be refused.
    precondition(pthread_mutex_init(mutex, nil) == 0, "a mutex could not be made")
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  @usableFromInline
  func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
#endif
