import ActionLog

/// The revisions of a history, and the error for those that it does not have.
struct RevisionRange {
  let last: Int

  func checking(_ revision: Int) throws(TimeTravelError) -> Int {
    guard revision >= 0, revision <= last else { throw error(MissingRevision(revision, of: 0...last)) }
    return revision
  }

  func error(_ missing: MissingRevision) -> TimeTravelError {
    TimeTravelError(.revisionOutOfRange, missing.sentence, availableRevisions: missing.available)
  }
}
