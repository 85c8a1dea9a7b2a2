import ActionLog
import Dispatch
import Platform

/// Work that is done in parts, on several threads at once.
///
/// Whoever has nothing to do takes the next part, the caller's thread as well. So a thread that comes late, or not at all, costs time
/// only. The threads are no thread of the pool that tasks run on: parts read files.
package final class SideBySide<Part: Sendable, Result: Sendable>: Sendable {
  private struct Progress: Sendable {
    /// The first part that nobody took.
    var next = 0
    var results: [Result?]
  }

  private let parts: [Part]
  private let body: @Sendable (Part) -> Result
  private let progress: Locked<Progress>
  /// Signalled for each part that is done.
  private let isDone = DispatchSemaphore(value: 0)

  private init(_ parts: [Part], _ body: @escaping @Sendable (Part) -> Result) {
    self.parts = parts
    self.body = body
    progress = Locked(Progress(results: Array(repeating: nil, count: parts.count)))
  }

  /// Does each part and waits for all.
  ///
  /// - Parameters:
  ///   - parts: What to do something with.
  ///   - body: What to do. It may block.
  /// - Returns: What the parts gave, in their order.
  package static func map(_ parts: [Part], _ body: @escaping @Sendable (Part) -> Result) -> [Result] {
    let work = SideBySide(parts, body)
    for _ in parts.dropFirst() { OffPool.start { work.takeParts() } }
    work.takeParts()
    // Each part was taken by somebody who is at work on it, or done.
    for _ in parts { work.isDone.wait() }
    return work.progress.withLock { progress in progress.results.compactMap { result in result } }
  }

  private func takeParts() {
    while let index = takePart() {
      let result = body(parts[index])
      progress.withLock { progress in progress.results[index] = result }
      isDone.signal()
    }
  }

  private func takePart() -> Int? {
    progress.withLock { progress in
      guard progress.next < parts.count else { return nil }
      defer { progress.next += 1 }
      return progress.next
    }
  }
}
