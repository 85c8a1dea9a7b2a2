/// The revisions of a history, and the error for those that it does not have.
struct RevisionRange {
  let last: Int

  func checking(_ revision: Int) throws(TimeTravelError) -> Int {
    guard revision >= 0, revision <= last else {
      throw TimeTravelError(
        .revisionOutOfRange,
        last == 0
          ? "there is no revision \(revision): the history holds only revision 0, it has no actions"
          : "there is no revision \(revision): the history holds the revisions 0…\(last)",
        availableRevisions: 0...last
      )
    }
    return revision
  }
}
