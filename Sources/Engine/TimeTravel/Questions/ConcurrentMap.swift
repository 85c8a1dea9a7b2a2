import ActionLog
import Dispatch
import Platform

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A map over an array that runs on several threads, the caller's thread included.
///
/// Every idle thread takes the next element, so a thread that starts late, or never, costs only time. The threads are not those of
/// the cooperative pool, because the body reads files.
package final class ConcurrentMap<Element: Sendable, Result: Sendable>: Sendable {
  private struct Progress: Sendable {
    /// The first element that no thread has taken.
    var next = 0
    var results: [Result?]
  }

  private let elements: [Element]
  private let body: @Sendable (Element) -> Result
  private let progress: Locked<Progress>
  /// Signaled once for each finished element.
  private let isDone = DispatchSemaphore(value: 0)

  private init(_ elements: [Element], _ body: @escaping @Sendable (Element) -> Result) {
    self.elements = elements
    self.body = body
    progress = Locked(Progress(results: Array(repeating: nil, count: elements.count)))
  }

  /// Calls `body` for each element and waits for all of them. The body may block.
  ///
  /// - Returns: The results, in the order of the elements.
  package static func map(_ elements: [Element], _ body: @escaping @Sendable (Element) -> Result) -> [Result] {
    let work = ConcurrentMap(elements, body)
    for _ in elements.dropFirst() { BlockingWork.start { work.processElements() } }
    work.processElements()
    // Every element has been taken by a thread that is working on it or has finished it.
    for _ in elements { work.isDone.wait() }
    return work.progress.withLock { progress in progress.results.compactMap { result in result } }
  }

  private func processElements() {
    while let index = nextIndex() {
      let result = body(elements[index])
      progress.withLock { progress in progress.results[index] = result }
      isDone.signal()
    }
  }

  private func nextIndex() -> Int? {
    progress.withLock { progress in
      guard progress.next < elements.count else { return nil }
      defer { progress.next += 1 }
      return progress.next
    }
  }
}

/// The number of parts to split a fold into.
package enum UsefulPartCount {
  /// One part for each processor, at most 8: each part holds a state of its own that it changes.
  package static var current: Int { min(max(1, ProcessInfo.processInfo.activeProcessorCount), 8) }
}
