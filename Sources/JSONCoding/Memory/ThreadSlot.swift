#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A place in which each thread keeps one object that it does not need at the moment.
///
/// Whoever takes the object owns it until it is put back, so that coding within coding finds the place empty and makes an object
/// of its own. Nothing is shared between threads, and nothing is locked.
struct ThreadSlot<Object: AnyObject>: Sendable {
  /// `nil` if the system has no more keys; nothing is kept then.
  private let key: pthread_key_t?

  init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { ThreadSlotRelease.release($0) }
    self.key = status == 0 ? key : nil
  }

  /// Takes the object that this thread has put here last, if it is still here.
  @inline(__always)
  func take() -> Object? {
    guard let key, let pointer = pthread_getspecific(key) else { return nil }
    pthread_setspecific(key, nil)
    return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
  }

  /// Keeps an object for the next time, unless there is one already.
  @inline(__always)
  func put(_ object: consuming Object) {
    guard let key, pthread_getspecific(key) == nil else { return }
    let pointer = Unmanaged.passRetained(object).toOpaque()
    if pthread_setspecific(key, pointer) != 0 { Unmanaged<Object>.fromOpaque(pointer).release() }
  }
}

/// What a thread does with its objects when it ends; a C function cannot be generic.
private enum ThreadSlotRelease {
  static func release(_ pointer: UnsafeMutableRawPointer?) {
    if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
  }
}
