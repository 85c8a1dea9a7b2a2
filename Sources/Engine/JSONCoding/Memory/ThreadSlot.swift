#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A thread-local slot for one unused object.
///
/// A caller that takes the object owns it until the object is put back. Nested coding therefore finds the slot empty and creates another
/// object. Threads share nothing, and there are no locks.
struct ThreadSlot<Object: AnyObject>: Sendable {
  /// `nil` if the system has no more keys, in which case no objects are kept.
  private let key: pthread_key_t?

  init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { ThreadSlotRelease.release($0) }
    self.key = status == 0 ? key : nil
  }

  /// Takes this thread's object, or returns `nil` if the slot is empty.
  @inline(__always)
  func take() -> Object? {
    guard let key, let pointer = pthread_getspecific(key) else { return nil }
    pthread_setspecific(key, nil)
    return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
  }

  /// Puts an object back, unless the slot is occupied.
  @inline(__always)
  func put(_ object: consuming Object) {
    guard let key, pthread_getspecific(key) == nil else { return }
    let pointer = Unmanaged.passRetained(object).toOpaque()
    if pthread_setspecific(key, pointer) != 0 { Unmanaged<Object>.fromOpaque(pointer).release() }
  }
}

/// The destructor of a thread's object. It is not generic, because it is a C function.
private enum ThreadSlotRelease {
  static func release(_ pointer: UnsafeMutableRawPointer?) {
    if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
  }
}
