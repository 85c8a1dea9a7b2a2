internal import Dispatch

/// Runs a known number of jobs side by side, each on a thread that may block, and passes their output to one consumer in the order
/// of the jobs. The ranges of a fold, the segments of a log and the files of a manifest are such jobs.
///
/// Memory is bounded: `width` jobs run at a time, at most `2 * width` have begun and are not consumed, and a job whose output
/// is not consumed yet waits when it has filled its buffer. An error of a job reaches the consumer after the output of all jobs
/// before it, as if the jobs had run one after the other.
package final class OrderedJobs<Item: Sendable>: Sendable {
  /// The output of one job.
  package struct Output: Sendable {
    fileprivate let jobs: OrderedJobs
    fileprivate let index: Int
    fileprivate let room: DispatchSemaphore

    /// Whether the output is no longer needed. A job that does not pass anything checks it periodically.
    package var isStopped: Bool { jobs.contents.withLock { contents in contents.isStopped } }

    /// Passes an item to the consumer. Waits while the buffer is full.
    package func pass(_ item: Item, weight: Int = 1) throws(CancellationError) {
      try jobs.pass(item, weight, from: index, waitingOn: room)
    }
  }

  /// A job. The number is its place in the order.
  package typealias Job = @Sendable (_ number: Int, _ output: Output) throws -> Void

  /// The end of a run.
  package enum Ending: Sendable {
    /// All jobs were consumed, or the consumer has ended the run.
    case complete
    /// The first error of a job in their order, or `CancellationError`.
    case failed(any Error)
    /// The system provides no thread. Nothing was run.
    case noThread
  }

  private struct Buffer: Sendable {
    var items: [Item] = []
    var weight = 0
    var outcome: Result<Void, any Error>?
    /// Signaled when the buffer has room.
    var waiting: DispatchSemaphore?
  }

  private struct Contents: Sendable {
    var buffers: [Int: Buffer] = [:]
    /// The first job that has not begun.
    var next = 0
    /// The job whose output is consumed.
    var head = 0
    var isStopped = false
    /// The threads that wait to begin a job.
    var idle: [DispatchSemaphore] = []
  }

  private let count: Int
  private let window: Int
  private let job: Job
  private let contents = Locked(Contents())
  /// Signaled when there may be something to consume.
  private let news = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// The sum of the weights in the buffer of a job after which the job waits.
  package static var bufferLimit: Int { 4_096 }
  /// The consumer checks for cancellation this often while it waits.
  private static var patience: DispatchTimeInterval { .milliseconds(20) }

  private init(count: Int, window: Int, job: @escaping Job) {
    self.count = count
    self.window = window
    self.job = job
  }

  /// Runs jobs and consumes their output on the caller's thread. Returns after all threads have ended.
  package static func run<Failure: Error>(
    _ count: Int, width: Int, waiting: () -> Void = {}, isCancelled: () -> Bool = { false }, _ job: @escaping Job,
    consume: (Item) throws(Failure) -> Bool
  ) throws(Failure) -> Ending {
    let jobs = OrderedJobs(count: count, window: 2 * width, job: job)
    var threads = 0
    while threads < min(width, count), SystemThread.start({ jobs.work() }) { threads += 1 }
    defer {
      jobs.stop()
      for _ in 0..<threads { jobs.ended.wait() }
    }
    return threads > 0 ? try jobs.consumeAll(waiting, isCancelled, consume) : .noThread
  }

  // MARK: - The consumer

  private func consumeAll<Failure: Error>(
    _ waiting: () -> Void, _ isCancelled: () -> Bool, _ consume: (Item) throws(Failure) -> Bool
  ) throws(Failure) -> Ending {
    while true {
      let (items, outcome, isAtEnd) = nextOutput()
      for item in items {
        guard try consume(item) else { return .complete }
      }
      if isAtEnd { return .complete }
      switch outcome {
      case .success?: endHead()
      case .failure(let error)?: return .failed(error)
      case nil:
        if items.isEmpty, news.wait(timeout: .now() + Self.patience) == .timedOut {
          waiting()
          if isCancelled() { return .failed(CancellationError()) }
        }
      }
    }
  }

  /// Takes the output of the first job that is not consumed.
  private func nextOutput() -> (items: [Item], outcome: Result<Void, any Error>?, isAtEnd: Bool) {
    contents.withLock { contents in
      guard contents.head < count else { return ([], nil, true) }
      guard let buffer = contents.buffers.removeValue(forKey: contents.head) else { return ([], nil, false) }
      let items = buffer.items
      buffer.waiting?.signal()
      if buffer.outcome == nil { contents.buffers[contents.head] = Buffer() }
      return (items, buffer.outcome, false)
    }
  }

  /// Continues with the output of the next job. Called when that of the first one is consumed.
  private func endHead() {
    contents.withLock { contents in
      contents.head += 1
      if !contents.idle.isEmpty { contents.idle.removeLast().signal() }
    }
  }

  private func stop() {
    contents.withLock { contents in
      contents.isStopped = true
      for buffer in contents.buffers.values { buffer.waiting?.signal() }
      for thread in contents.idle { thread.signal() }
      contents.idle = []
    }
  }

  // MARK: - The threads

  private func work() {
    let semaphore = DispatchSemaphore(value: 0)
    while let number = nextJob(waitingOn: semaphore) {
      let outcome = Result { try job(number, Output(jobs: self, index: number, room: semaphore)) }
      contents.withLock { contents in contents.buffers[number, default: Buffer()].outcome = outcome }
      news.signal()
    }
    ended.signal()
  }

  /// Returns the number of the next job; `nil` if there is none. Waits while too many jobs are not consumed.
  private func nextJob(waitingOn semaphore: DispatchSemaphore) -> Int? {
    while true {
      let (number, mustWait) = contents.withLock { contents -> (Int?, Bool) in
        guard !contents.isStopped, contents.next < count else { return (nil, false) }
        guard contents.next < contents.head + window else {
          contents.idle.append(semaphore)
          return (nil, true)
        }
        defer { contents.next += 1 }
        return (contents.next, false)
      }
      guard mustWait else { return number }
      semaphore.wait()
    }
  }

  private func pass(
    _ item: Item, _ weight: Int, from index: Int, waitingOn room: DispatchSemaphore
  ) throws(CancellationError) {
    let (isStopped, isFull, isConsumed) = contents.withLock { contents -> (Bool, Bool, Bool) in
      guard !contents.isStopped else { return (true, false, false) }
      var buffer = contents.buffers.removeValue(forKey: index) ?? Buffer()
      buffer.items.append(item)
      buffer.weight += weight
      let isFull = buffer.weight >= Self.bufferLimit
      if isFull { buffer.waiting = room }
      contents.buffers[index] = buffer
      return (false, isFull, contents.head == index)
    }
    guard !isStopped else { throw CancellationError() }
    if isConsumed { news.signal() }
    guard isFull else { return }
    room.wait()
    if contents.withLock({ contents in contents.isStopped }) { throw CancellationError() }
  }
}
