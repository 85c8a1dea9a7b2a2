import CSystem
import Dispatch
import Platform

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

  /// Stack for each thread and for the first one: enough for the deepest line and for long conditions.
  static let stackKiB = 1_024

  /// Sees to it that the heap spends no addresses on areas of its own for each thread, which would be more than all of this. To be
  /// called before the first thread is started.
  static func saveMemory() {
    if hasMemoryLimit { csystem_memory_save() }
  }

  /// Asks for it.
  ///
  /// - Returns: What cannot be had.
  static func shortage() -> ToolFailure? {
    guard hasDescriptors else {
      return shortage(
        "noDescriptors", "the process may not open the \(2 * pipeCount) files that it needs",
        "Allow more with 'ulimit -n'.")
    }
    guard csystem_stack_limit() >= UInt64(stackKiB) << 10 else {
      return shortage(
        "noStack", "the process may have \(csystem_stack_limit() >> 10) of the \(stackKiB) KiB of stack that it needs",
        "Allow more with 'ulimit -s'.")
    }
    let gate = DispatchSemaphore(value: 0)
    let passed = DispatchSemaphore(value: 0)
    let wait: @Sendable () -> Void = {
      gate.wait()
      passed.signal()
    }
    var count = 0
    while count < threadCount, SystemThread.start(wait) { count += 1 }
    let failure = count < threadCount ? shortageOfThreads(count) : shortageOfMemory()
    for _ in 0..<count { gate.signal() }
    for _ in 0..<count { passed.wait() }
    return failure
  }

  /// What is told when the runtime ends the process although all was there; `nil` where there is no limit that it could have met.
  static var lastWordsOnMemory: ToolFailure? {
    guard hasMemoryLimit else { return nil }
    let limits = [addressAdvice, dataAdvice].compactMap(\.self).joined(separator: " ")
    return ToolFailure(
      "noMemory", .environment, "the process was ended by its runtime, most likely for want of memory",
      advice: "\(limits) Nothing that was acknowledged is lost.")
  }

  /// What is told when its time on the processors is over; `nil` where it is not limited.
  static var lastWordsOnTime: ToolFailure? {
    let seconds = csystem_processor_limit()
    guard seconds != .max else { return nil }
    return ToolFailure(
      "noTime", .environment,
      "the process has spent the time on the processors that it may have: \(seconds) second\(seconds == 1 ? "" : "s")",
      advice: "Allow more with 'ulimit -t'. Nothing that was acknowledged is lost.")
  }

  // MARK: - Limits

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

  private static var hasMemoryLimit: Bool { csystem_address_limit() != .max || csystem_data_limit() != .max }

  private static var addressAdvice: String? {
    let limit = csystem_address_limit()
    guard limit != .max else { return nil }
    return "It may have \(limit >> 20) MiB of addresses: allow more with 'ulimit -v'."
  }

  private static var dataAdvice: String? {
    let limit = csystem_data_limit()
    guard limit != .max else { return nil }
    return "It may have \(limit >> 20) MiB of data: allow more with 'ulimit -d'."
  }

  /// What keeps the process from so many bytes of memory.
  private static func advice(onMissing bytes: Int) -> String {
    // Pages that nobody may write count as addresses, and not as data.
    if !csystem_addresses_are_left(bytes), let addressAdvice { return addressAdvice }
    return dataAdvice ?? "The system has no memory for it: end other programs."
  }

  private static func shortageOfThreads(_ count: Int) -> ToolFailure {
    let message = "the process gets \(count) of the \(threadCount) threads that it needs"
    // What a thread takes beside it is little.
    let stackBytes = csystem_thread_stack_size()
    guard csystem_memory_is_left(stackBytes) else {
      return shortage(
        "noThreads", message + ": there is no memory for the \(stackBytes >> 10) KiB of stack of one more",
        advice(onMissing: stackBytes)
          + (stackBytes > usualStackBytes ? " Or let stacks be smaller with 'ulimit -s'." : ""))
    }
    return shortage(
      "noThreads", message,
      "Allow more processes with 'ulimit -u', or more tasks where a service or a container counts them.")
  }

  /// What a thread's stack has where nobody says otherwise: 8 MiB.
  private static let usualStackBytes = 8 << 20

  private static func shortageOfMemory() -> ToolFailure? {
    guard !csystem_memory_is_left(memoryMiB << 20) else { return nil }
    return shortage(
      "noMemory", "the process does not get the \(memoryMiB) MiB of memory that it needs",
      advice(onMissing: memoryMiB << 20))
  }

  private static func shortage(_ code: String, _ message: String, _ advice: String) -> ToolFailure {
    ToolFailure(code, .environment, message, advice: "Nothing was read or written. \(advice)")
  }
}
