import Foundation

/// Settings of a run of all tests, which are made before the testing library starts.
///
/// At most eight test cases run at the same time. Without a bound all tests start at once and take turns: each holds its memory
/// and its processes for most of the run. With it, a test that has started ends soon, also on a busy machine. Eight is more than
/// the processors of a small machine, because many tests wait for processes. The option of `swift test` and the variable in
/// the environment take precedence.
///
/// On Linux, memory that a test has freed is returned to the system. By default the allocator keeps up to 64 MiB of it for each
/// group of threads, 1 GiB on two processors.
#if os(Linux)
@section(".init_array")
#else
@section("__DATA,__mod_init_func")
#endif
@used private let boundsTestRun: @convention(c) () -> Void = {
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "8", 0)
  #if os(Linux)
  // Swift imports no declaration of this function.
  typealias SetOption = @convention(c) (CInt, CInt) -> CInt
  guard let function = dlsym(nil, "mallopt") else { return }
  let (trimThreshold, mapThreshold, bytes): (CInt, CInt, CInt) = (-1, -3, 4 << 20)
  let setOption = unsafeBitCast(function, to: SetOption.self)
  _ = setOption(trimThreshold, bytes)
  _ = setOption(mapThreshold, bytes)
  #endif
}

/// Options of a run of all tests.
public enum TestRun {
  /// Whether tests run whose memory or time the others cannot spare, as in `.ci/run`.
  public static let includesLargest = ProcessInfo.processInfo.environment["ACTIONLOG_LARGEST"] != nil
}
