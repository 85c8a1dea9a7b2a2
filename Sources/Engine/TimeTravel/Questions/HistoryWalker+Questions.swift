import ActionLog
import EventSourcing
import JSONCoding
import Platform

// Questions that begin from the states which a walker keeps, and keep more of them on the way: the next one has less to fold.
extension HistoryWalker {
  /// Finds the first revision at which a condition holds, by halving.
  mutating func bisect(
    _ condition: Condition, in range: ClosedRange<Int>?, options: ReplayOptions
  ) throws -> BisectAnswer {
    try asking(options) { walker in
      var search = try BisectSearch<M>(condition, walker, range)
      // What was folded until it failed is kept, too.
      defer { walker = search.walker }
      return try search.run()
    }
  }

  /// Finds the first revision behind another at which a condition holds.
  mutating func firstRevision(
    where condition: Condition, after revision: Int?, upTo last: Int?, options: ReplayOptions
  ) throws -> ConditionAnswer {
    try asking(options) { walker in
      try walker.firstRevision(ConditionEvaluator(condition), after: revision, upTo: last)
    }
  }

  /// The same with what looks at the states, which knows more of them perhaps.
  mutating func firstRevision(
    _ evaluator: ConditionEvaluator<M.State>, after revision: Int?, upTo last: Int?
  ) throws -> ConditionAnswer {
    let known = RevisionRange(last: lastRevision)
    let first = try known.checking(revision ?? 0)
    let last = max(first, try known.checking(last ?? known.last))
    guard let range = ConditionAnswer.range(after: revision, upTo: last) else { return .nothingToLookAt }
    let before = work
    var search = ConditionSearch<M>(evaluator, isCancelled: options.isCancelled)
    let found = try search.stretch(visitingFrom: first, to: last, asksFirst: revision == nil, endsAtFirst: true) {
      try visit(from: first, to: last, $0)
      return report(since: before)
    }
    return search.answer(found, in: range)
  }

  /// Finds the last revision before another at which a condition holds.
  mutating func lastRevision(
    where condition: Condition, before revision: Int?, options: ReplayOptions
  ) throws -> ConditionAnswer {
    try asking(options.countingFolds(upTo: lastRevision)) { walker in
      try walker.lastRevision(ConditionEvaluator(condition), before: revision)
    }
  }

  private mutating func lastRevision(
    _ evaluator: ConditionEvaluator<M.State>, before revision: Int?
  ) throws -> ConditionAnswer {
    let known = RevisionRange(last: lastRevision)
    var last =
      try revision.map { revision throws(TimeTravelError) in try known.checking(revision) - 1 } ?? known.last
    guard last >= 0 else { return .nothingToLookAt }
    let range = 0...last
    var search = ConditionSearch<M>(evaluator, isCancelled: options.isCancelled)
    var length = Self.firstStretch
    while true {
      let start = Self.start(of: length, before: last)
      length = min(2 * length, Self.longestStretch)
      let before = work
      let found = try search.stretch(visitingFrom: start, to: last, asksFirst: nil, endsAtFirst: false) {
        try visit(from: start, to: last, $0)
        return report(since: before)
      }
      if found.revision != nil || found.first == 0 { return search.answer(found, in: range) }
      last = found.first
    }
  }

  /// Finds the last action that changed a value.
  mutating func blame(
    _ pointer: JSONPointer, at revision: Int, options: ReplayOptions
  ) throws -> BlameAnswer {
    let revision = try RevisionRange(last: lastRevision).checking(revision)
    return try asking(options.countingFolds(upTo: revision)) { walker in
      var search = BlameSearch<M>(pointer)
      var length = Self.firstStretch
      var folded = 0
      let options = walker.options
      var answer = try search.run(at: revision, in: walker.history) { last in
        // Stretches double, so that a change nearby is found soon and one far away without many beginnings.
        let start = Self.start(of: length, before: last)
        length = min(2 * length, Self.longestStretch)
        let before = walker.work.actionsFolded
        let parts = try walker.parts(from: start, to: last)
        folded += walker.work.actionsFolded - before
        return try Self.looks(at: pointer, parts, in: walker.history, options)
      }
      answer.work.actionsFolded += folded
      return answer
    }
  }
}

extension HistoryWalker {
  /// Does something with other options than those of moves.
  private mutating func asking<Answer>(
    _ options: ReplayOptions, _ body: (inout HistoryWalker) throws -> Answer
  ) rethrows -> Answer {
    let usual = self.options
    self.options = options
    defer { self.options = usual }
    return try body(&self)
  }

  /// What was done since, as a replay tells it.
  private func report(since before: CursorWork) -> ReplayReport {
    var report = ReplayReport()
    report.actionsFolded = work.actionsFolded - before.actionsFolded
    report.snapshotsLoaded = work.snapshotsLoaded - before.snapshotsLoaded
    report.bytesRead = work.bytesRead - before.bytesRead
    return report
  }

  /// Where a stretch begins: where a state may be kept.
  private static func start(of length: Int, before last: Int) -> Int {
    let first = max(0, last - length)
    return first - first % firstStretch
  }

  /// A multiple of the distance of the states that are kept of a history of 10⁶ actions.
  private static var firstStretch: Int { 256 }
  private static var longestStretch: Int { 1 << 16 }
}

// MARK: - Several parts at once

extension HistoryWalker {
  /// A part of a history, from a state on.
  private struct Part: Sendable {
    var state: M.State
    var first: Int
    var last: Int
  }

  /// So many actions take longer to fold than another thread takes to begin.
  private static var shortestPart: Int { 2_048 }

  /// Parts a long stretch where states are kept, so that no action is folded twice.
  private mutating func parts(from start: Int, to last: Int) throws -> [Part] {
    let count = max(1, min(UsefulPartCount.current, (last - start) / Self.shortestPart))
    var bounds = [start]
    for number in 1..<count {
      let place = start + (last - start) * number / count
      let bound = place - place % Self.firstStretch
      if bound > start, isKept(at: bound) { bounds.append(bound) }
    }
    var parts: [Part] = []
    for (first, last) in zip(bounds, bounds.dropFirst() + [last]) {
      parts.append(Part(state: try state(at: first), first: first, last: last))
    }
    return parts
  }

  /// Looks at several parts at once. What is wrong with the earliest is what is thrown, as if one was looked at after the other.
  private static func looks(
    at pointer: JSONPointer, _ parts: [Part], in history: History<M>, _ options: ReplayOptions
  ) throws -> [BlameSearch<M>.Look] {
    var options = options
    // Where there are several parts, the other processors have theirs.
    options.decodesAhead = options.decodesAhead && parts.count == 1
    // What one thread hears, a task's cancellation for instance, the others hear, too.
    let isUnwanted = Locked(false)
    let asked = options.isCancelled
    options.isCancelled = {
      if isUnwanted.withLock({ flag in flag }) { return true }
      guard asked() else { return false }
      isUnwanted.withLock { flag in flag = true }
      return true
    }
    let chosen = options
    let start = parts.first?.first
    let looks = ConcurrentMap.map(parts) { part in
      Result {
        var options = chosen
        // The progress of one of them is shown.
        if part.first != start { options.progress = nil }
        return try BlameSearch<M>.look(at: pointer, to: part.last, isCancelled: options.isCancelled) { last, visitor in
          try history.walk(part.state, from: part.first, to: last, options: options, visitor: visitor)
        }
      }
    }
    return try looks.map { look in try look.get() }
  }
}
