#if THREAD_SANITIZER && !canImport(os)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A lock that ThreadSanitizer recognizes.
///
/// On Linux, `Synchronization.Mutex` is a futex of its own, which the sanitizer does not recognize: it would report
/// every protected value as a race. It recognizes `pthread_mutex_t`, which builds with `-DTHREAD_SANITIZER` use.
// The mutable memory is at two addresses that only this object uses. The value is accessed only by the holder of the
// mutex.
@usableFromInline
final class WatchedMutex<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let value: UnsafeMutablePointer<Value>

  @usableFromInline
  init(_ value: Value) {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    // The call cannot fail with default attributes.
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
