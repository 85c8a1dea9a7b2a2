/// The thread sanitizer, with which `.ci/sanitize` builds the tests.
public enum ThreadSanitizer {
  /// Whether it is enabled in this build.
  ///
  /// Its shadow memory exceeds any limit on memory, and it writes and reads a file before `main`, which fails under a
  /// limit on file sizes.
  public static var isWatching: Bool {
    #if THREAD_SANITIZER
    true
    #else
    false
    #endif
  }
}
