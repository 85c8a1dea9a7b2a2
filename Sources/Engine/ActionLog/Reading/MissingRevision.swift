/// A revision that somebody asked for and a log does not have: its words, the same wherever it is asked for.
package struct MissingRevision: Sendable {
  /// The revision as it was written: `99`, or `-99` for so many before the end.
  package let revision: String
  /// The revisions that there are; `nil` when there are none.
  package let available: ClosedRange<Int>?

  /// A revision that is not among others.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - available: The revisions that there are; `nil` when there are none.
  package init(_ revision: Int, of available: ClosedRange<Int>?) {
    self.revision = "\(revision)"
    self.available = available
  }

  /// A place that is more actions before the end than there are.
  ///
  /// - Parameters:
  ///   - count: How many actions before the end it is.
  ///   - available: The revisions that there are.
  package init(beforeTheEnd count: Int, of available: ClosedRange<Int>?) {
    // As it is written; what is below zero already would lie behind the end.
    revision = count > 0 ? "-\(count)" : "\(count)"
    self.available = available
  }

  /// What is wrong, without the place.
  package var message: String { "revision \(revision) is not in the log" }

  /// What there is, and what to do.
  package var advice: String {
    switch available {
    case nil: "The log holds no action."
    case 0...0: "The log holds revision 0 alone, for it has no actions."
    case let known?: "The log holds the revisions \(known.lowerBound)…\(known.upperBound). Name one of them, or 'end'."
    }
  }

  /// All of it as one fragment, for errors that have a message alone.
  package var sentence: String {
    switch available {
    case nil: "\(message), which holds no action"
    case 0...0: "\(message), which holds revision 0 alone, for it has no actions"
    case let known?: "\(message), which holds the revisions \(known.lowerBound)…\(known.upperBound)"
    }
  }

  /// The error for it.
  ///
  /// - Parameter path: The log.
  package func error(in path: String) -> LogError {
    LogError(.revisionOutOfRange, message, path: path, advice: advice)
  }
}
