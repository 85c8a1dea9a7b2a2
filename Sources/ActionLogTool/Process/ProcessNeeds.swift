import CSystem
import Dispatch
import Threading

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What the runtime cannot do without, asked for before anything else is done.
///
/// Where it gets no thread, Dispatch asks again each second, for ever; where it gets no descriptor, it traps, and so does Swift where
/// it gets no memory. None of it is an answer to whoever set a limit. So descriptors are opened, threads are started and memory is
/// mapped at the beginning, for a moment. The C library keeps the stacks of threads that have ended for those that follow: what is
/// there now is there later, too.
enum ProcessNeeds {
  /// Pipes at once, of two descriptors each: Dispatch takes three for good, and one now and then to look at its threads, which must
  /// be left whatever the tool has open: two for input, and up to six for a log that is written.
  static let pipeCount = 6
  /// Threads at once: one for what blocks, one that writes, two that tasks run on. With the one for signals they are as many as the
  /// C library keeps the stacks of: 40 MiB.
  static let threadCount = 4
  /// What reading a log takes beside four times its longest line. Small logs take no more of it in any command.
  static let memoryMiB = 64

  /// Asks for it.
  ///
  /// - Returns: What cannot be had.
  static func shortage() -> ToolFailure? {
    guard hasDescriptors else {
      return ToolFailure(
        "noDescriptors", .environment, "the process may not open the \(2 * pipeCount) files that it needs",
        advice: "Nothing was read or written. Allow more with 'ulimit -n'.")
    }
    // An area of the heap for each thread would take more addresses than all of this.
    if hasMemoryLimit { csystem_memory_save() }
    let gate = DispatchSemaphore(value: 0)
    let passed = DispatchSemaphore(value: 0)
    let wait: @Sendable () -> Void = {
      gate.wait()
      passed.signal()
    }
    var count = 0
    while count < threadCount, SystemThread.start(wait) { count += 1 }
    let hasMemory = csystem_memory_is_left(memoryMiB << 20)
    for _ in 0..<count { gate.signal() }
    for _ in 0..<count { passed.wait() }
    guard count == threadCount else {
      return shortage("noThreads", "the process gets \(count) of the \(threadCount) threads that it needs")
    }
    guard hasMemory else {
      return shortage("noMemory", "the process does not get the \(memoryMiB) MiB of memory that it needs")
    }
    return nil
  }

  /// What is told when the runtime ends the process although all was there; `nil` where there is no limit that it could have met.
  static var lastWords: ToolFailure? {
    guard hasMemoryLimit else { return nil }
    return ToolFailure(
      "noMemory", .environment, "the process was ended by its runtime, most likely for want of memory",
      advice: "\(limit) Nothing that was acknowledged is lost.")
  }

  private static var hasDescriptors: Bool {
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { _ = close(descriptor) } }
    for _ in 0..<pipeCount {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return false }
      descriptors += ends
    }
    return true
  }

  private static var hasMemoryLimit: Bool { csystem_memory_limit() != .max }

  private static var limit: String {
    guard hasMemoryLimit else {
      return "Allow more processes with 'ulimit -u', or more tasks where a service or a container counts them."
    }
    return "It may have \(csystem_memory_limit() >> 20) MiB of addresses: allow more with 'ulimit -v'."
  }

  private static func shortage(_ code: String, _ message: String) -> ToolFailure {
    ToolFailure(code, .environment, message, advice: "Nothing was read or written. \(limit)")
  }
}
