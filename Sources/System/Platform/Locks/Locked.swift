#if canImport(os)
public import os
#elseif !THREAD_SANITIZER
public import Synchronization
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

  /// Creates a lock around a value.
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
  ///
  /// - Complexity: That of `body`, and two atomic operations if the lock is free.
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
