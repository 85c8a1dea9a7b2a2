/// What a filter has found so far.
struct ActionFilter {
  let search: ActionSearch
  /// The revisions of the actions that fit, in order.
  var revisions: [Int] = []
  /// The revision up to which was looked.
  var reached = 0
  var isRunning = true
  /// Tells apart the filters of one screen.
  let number: Int

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
