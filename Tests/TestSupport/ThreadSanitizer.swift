/// The sanitizer that `.ci/sanitize` builds the tests with.
public enum ThreadSanitizer {
  /// Whether it watches this build.
  ///
  /// Its shadow memory is beyond any limit on memory, and a program that it watches reads a file that it has just written
  /// before `main`: under a limit on the length of files that is the end of the program.
  public static var isWatching: Bool {
    #if THREAD_SANITIZER
    true
    #else
    false
    #endif
  }
}
