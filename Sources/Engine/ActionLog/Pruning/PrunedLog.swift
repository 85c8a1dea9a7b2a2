internal import Platform

/// The messages about revisions before the base of a pruned log.
package enum PrunedLog {
  package static func message(_ revision: String, of first: Int) -> String {
    "revision \(revision) is gone: the log begins at \(first)"
  }

  package static func list(_ directories: [String]) -> String {
    directories.map { directory in "'\(directory)'" }.joined(separator: " and ")
  }

  package static func message(ofActionAt revision: Int) -> String {
    "action \(revision) is gone: the log begins with the state after it"
  }
}

extension LogReader {
  /// The base at the last time that the log was listed.
  package var currentBase: LogBase? { knownBase.withLock { known in known?.base } }

  /// Lists the segments and reads from them. While the log is pruned, segments of a listing can disappear; they are then listed again.
  func listingAgain<Result>(
    _ body: (Listing) throws(LogError) -> Result
  ) throws(LogError) -> Result {
    try listingWith(body).result
  }

  /// Lists the segments and reads from them, like ``listingAgain(_:)``.
  ///
  /// - Returns: The listing that was read, and the result.
  func listingWith<Result>(
    _ body: (Listing) throws(LogError) -> Result
  ) throws(LogError) -> (listing: Listing, result: Result) {
    var listing = try listing()
    for _ in 1..<LogFolder.attemptLimit {
      do throws(LogError) { return (listing, try body(listing)) } catch {
        guard error.code == .notFound, !isSingleSegment else { throw error }
        let next = try self.listing()
        guard next.segments != listing.segments || next.base != listing.base else { throw error }
        listing = next
      }
    }
    return (listing, try body(listing))
  }

  package func pruned(_ revision: Int) -> LogError {
    let first = currentBase?.revision ?? 0
    return pruned(
      revision == first ? PrunedLog.message(ofActionAt: revision) : PrunedLog.message("\(revision)", of: first),
      revision: revision)
  }

  func pruned(at time: LogTime) -> LogError {
    pruned(
      "the revisions at \(time) are gone: the log begins at \(currentBase?.revision ?? 0), which was recorded later",
      revision: nil)
  }

  private func pruned(_ message: String, revision: Int?) -> LogError {
    LogError(.pruned, message, path: path, revision: revision, advice: pruningAdvice())
  }
}
