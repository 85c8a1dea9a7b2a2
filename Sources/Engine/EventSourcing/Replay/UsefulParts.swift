#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How many parts are worth having.
package enum UsefulParts {
  /// One for each processor, and no more than a few: each part holds a state of its own that it changes.
  package static var count: Int { min(max(1, ProcessInfo.processInfo.activeProcessorCount), 8) }
}
