import Dispatch
import Locking

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Work that is done in parts, on several threads at once.
package enum SideBySide {
  /// How many parts are worth having: one for each processor, and no more than a few.
  package static var usefulParts: Int { min(max(1, ProcessInfo.processInfo.activeProcessorCount), partLimit) }

  /// Each part holds a state of its own that it changes.
  private static var partLimit: Int { 8 }

  /// Does each part, one of them on the caller's thread, and waits for all.
  ///
  /// - Parameters:
  ///   - parts: What to do something with.
  ///   - body: What to do. It may block.
  /// - Returns: What the parts gave, in their order.
  package static func map<Part: Sendable, Result: Sendable>(
    _ parts: [Part], _ body: @Sendable (Part) -> Result
  ) -> [Result] {
    guard parts.count > 1 else { return parts.map(body) }
    let results = Locked([Result?](repeating: nil, count: parts.count))
    DispatchQueue.concurrentPerform(iterations: parts.count) { index in
      let result = body(parts[index])
      results.withLock { results in results[index] = result }
    }
    return results.withLock { results in results.compactMap { result in result } }
  }
}
