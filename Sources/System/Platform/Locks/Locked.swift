#if canImport(os)
public import os
#elseif !THREAD_SANITIZER
public import Synchronization
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A value protected by a lock. ``withLock(_:)`` is the only access to it.
///
/// `Synchronization.Mutex` requires macOS 15 and iOS 18, which this package does not. Apple platforms therefore use
/// `OSAllocatedUnfairLock`, and builds for ThreadSanitizer use a lock that it recognizes. None of these locks is
/// recursive: calling ``withLock(_:)`` from inside itself is a programmer error.
public final class Locked<Value: Sendable>: Sendable {
  #if canImport(os)
  @usableFromInline let lock: OSAllocatedUnfairLock<Value>
  #elseif THREAD_SANITIZER
  @usableFromInline let lock: WatchedMutex<Value>
  #else
  @usableFromInline let lock: Mutex<Value>
  #endif

  package init(_ value: Value) {
    #if canImport(os)
    self.lock = OSAllocatedUnfairLock(initialState: value)
    #elseif THREAD_SANITIZER
    self.lock = WatchedMutex(value)
    #else
    self.lock = Mutex(value)
    #endif
  }

  /// Runs `body` with exclusive access to the value.
  @inlinable @inline(__always)
  public func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    #if canImport(os)
    let outcome = lock.withLockUnchecked { value -> Swift.Result<Result, Failure> in
      do throws(Failure) { return .success(try body(&value)) } catch { return .failure(error) }
    }
    return try outcome.get()
    #else
    return try lock.withLock { value throws(Failure) -> Result in try body(&value) }
    #endif
  }
}

#if THREAD_SANITIZER && !canImport(os)
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
