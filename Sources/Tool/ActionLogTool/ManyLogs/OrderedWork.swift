import ActionLog
import Dispatch
import EventSourcing
import Foundation
import Platform

/// Runs a job for many items on several threads and passes the results to one consumer, in the order of the items.
///
/// `OrderedJobs` runs a known number of jobs. This is for logs that standard input names one after the other: their number is not
/// known, and each thread keeps what its job needs, such as a child process, for its next item.
///
/// Memory is bounded: a thread that is far ahead of the consumer waits. The job may block; its threads are not those of the
/// cooperative pool.
final class OrderedWork<Item: Sendable, Output: Sendable>: Sendable {
  typealias Job = (Item) -> Output

  private struct Contents: Sendable {
    var next = 0
    /// Finished results that are not consumed, by the indices of their items.
    var finished: [Int: Output] = [:]
    var finishedBytes = 0
    var consumed = 0
    var runningThreads = 0
    var waitingThreads = 0
    var isStopped = false
    var failure: (any Error)?
  }

  /// The number of items that may be in progress or unconsumed: a slow item does not stop the others soon, and small
  /// results take little memory.
  private static var window: Int { 1_024 }
  /// The size of unconsumed results at which threads wait.
  private static var bufferLimitBytes: Int { 64 << 20 }

  private let source: @Sendable () throws -> Item?
  private let size: @Sendable (Output) -> Int
  private let contents = Locked(Contents())
  private let sourceLock = Locked(())
  private let slots = DispatchSemaphore(value: 0)
  private let results = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)

  /// - Parameter source: The next item; `nil` at the end. Called by one thread at a time; may block.
  init(source: @escaping @Sendable () throws -> Item?, size: @escaping @Sendable (Output) -> Int) {
    self.source = source
    self.size = size
    for _ in 0..<Self.window { slots.signal() }
  }

  /// Runs the jobs, and consumes their results on the caller's thread. Returns after all threads have ended.
  /// - Parameters:
  ///   - makeJob: Makes the job of a thread, on that thread. The job is released at the end of the thread.
  ///   - afterFailure: Called after `consume` has thrown, to cut jobs in progress short.
  func run(
    threads: Int, makeJob: @escaping @Sendable () -> Job, consume: (Output) throws -> Void,
    afterFailure: () -> Void = {}
  ) throws {
    contents.withLock { contents in contents.runningThreads = threads }
    var started = 0
    while started < threads, SystemThread.start({ self.work(makeJob()) }) { started += 1 }
    contents.withLock { contents in contents.runningThreads -= threads - started }
    guard started > 0 else {
      throw ToolFailure(
        "noThreads", .environment, "the system provides no thread for this process",
        advice: "Allow more with 'ulimit -u', or more tasks in the settings of the service or container.")
    }
    var failure: (any Error)?
    while true {
      let isEnd = contents.withLock { contents in contents.runningThreads == 0 }
      while let output = nextResult() {
        guard failure == nil else { continue }
        do { try consume(output) } catch {
          failure = error
          stop()
          afterFailure()
        }
      }
      if isEnd { break }
      results.wait()
    }
    if let failure = failure ?? contents.withLock({ contents in contents.failure }) { throw failure }
  }

  /// Begins no further item. Jobs in progress are completed.
  func stop() {
    contents.withLock { contents in contents.isStopped = true }
    slots.signal()
    room.signal()
  }

  private func work(_ job: Job) {
    while let (index, item) = nextItem() { finish(index, job(item)) }
    contents.withLock { contents in contents.runningThreads -= 1 }
    // A stopped neighbor may wait.
    slots.signal()
    room.signal()
    results.signal()
  }

  private func nextItem() -> (Int, Item)? {
    slots.wait()
    return sourceLock.withLock { _ in
      guard !contents.withLock({ contents in contents.isStopped }) else { return nil }
      do {
        guard let item = try source() else {
          contents.withLock { contents in contents.isStopped = true }
          return nil
        }
        let index = contents.withLock { contents in
          defer { contents.next += 1 }
          return contents.next
        }
        return (index, item)
      } catch {
        contents.withLock { contents in
          contents.isStopped = true
          contents.failure = contents.failure ?? error
        }
        return nil
      }
    }
  }

  private func finish(_ index: Int, _ output: Output) {
    let mustWait = contents.withLock { contents in
      contents.finished[index] = output
      contents.finishedBytes += size(output)
      // The thread of the next result never waits, so the consumer always progresses.
      let isFull = contents.finishedBytes > Self.bufferLimitBytes && index != contents.consumed
      if isFull { contents.waitingThreads += 1 }
      return isFull
    }
    results.signal()
    if mustWait { room.wait() }
  }

  private func nextResult() -> Output? {
    let (output, wakened) = contents.withLock { contents -> (Output?, Int) in
      guard let output = contents.finished.removeValue(forKey: contents.consumed) else { return (nil, 0) }
      contents.consumed += 1
      contents.finishedBytes -= size(output)
      guard contents.finishedBytes <= Self.bufferLimitBytes else { return (output, 0) }
      defer { contents.waitingThreads = 0 }
      return (output, contents.waitingThreads)
    }
    for _ in 0..<wakened { room.signal() }
    if output != nil { slots.signal() }
    return output
  }
}

extension NamedLogs {
  func run<Output: Sendable>(
    threads: Int = OrderedWork<String, Output>.usefulThreads, size: @escaping @Sendable (Output) -> Int = { _ in 0 },
    _ job: @escaping @Sendable (String) -> Output, consume: (Output) throws -> Void
  ) throws {
    let rest = Locked(paths[...])
    let work = OrderedWork<String, Output>(
      source: { rest.withLock { paths in paths.popFirst() } }, size: size)
    try work.run(threads: min(threads, max(1, paths.count)), makeJob: { job }, consume: consume)
  }
}

extension OrderedWork {
  /// The number of threads for work on all processors; at most 64, because each may hold a state or a process.
  static var usefulThreads: Int { min(ProcessorCount.current, 64) }
}
