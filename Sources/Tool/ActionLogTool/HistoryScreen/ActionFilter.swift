import Platform

/// What a filter has found so far.
struct ActionFilter {
  let search: ActionSearch
  /// The revisions of the actions that fit, in order.
  private(set) var revisions: [Int] = []
  /// What is to be told of each of them; none where the action itself is what one looks for.
  private(set) var remarks: [String] = []
  /// The revision up to which was looked; `nil` before the first news of it.
  private(set) var reached: Int?
  var isRunning = true
  /// Set when nobody wants it any more.
  let isUnwanted = Locked(false)
  /// Tells apart the filters of one screen.
  let number: Int

  init(search: ActionSearch, number: Int) {
    self.search = search
    self.number = number
  }

  /// Takes what was found since the last time.
  mutating func take(_ finding: ActionSearch.Finding, showsProgress: Bool) {
    revisions += finding.revisions
    remarks += finding.remarks
    if showsProgress { reached = finding.reached }
  }

  /// The place of the last action at or before a revision among those found; -1 when there is none.
  ///
  /// - Complexity: O(log *n*).
  func index(atOrBefore revision: Int) -> Int {
    var (low, high) = (0, revisions.count)
    while low < high {
      let middle = (low + high) / 2
      if revisions[middle] <= revision { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }
}
