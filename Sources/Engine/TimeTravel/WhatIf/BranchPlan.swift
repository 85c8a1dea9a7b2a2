import ActionLog
import EventSourcing
import Platform

/// The actions of a branch: those of the history, edited.
///
/// Impossible edits are refused when the plan is made, before anything is folded.
struct BranchPlan<M: Model> {
  /// The effect of the edits on an action of the history.
  enum Fate {
    /// The action happens unchanged.
    case unchanged
    /// The action does not happen at its revision.
    case omitted
    /// Another action happens.
    case replaced(BranchStep<M.Action>)
  }

  let last: Int
  /// The last revision that the history and the branch have in common.
  private(set) var stem: Int
  /// The last revision that an edit names: after it the same actions happen in both.
  private(set) var lastEdited = 0

  private let history: History<M>
  private let known: RevisionRange
  /// The omitted revisions, sorted and disjoint.
  private var skipped: [ClosedRange<Int>] = []
  private var moved: Set<Int> = []
  private var replaced: [Int: BranchStep<M.Action>] = [:]
  private var inserted: [Int: [BranchStep<M.Action>]] = [:]

  init(_ edits: [HistoryEdit], of history: History<M>, upTo revision: Int?) throws {
    let end = RevisionRange(of: history, last: try history.lastRevision())
    last = try end.checking(revision ?? end.last)
    stem = last
    known = RevisionRange(of: history, last: last)
    self.history = history
    for case .skip(let range) in edits { try skip(range) }
    skipped = Self.joined(skipped)
    for edit in edits {
      switch edit {
      case .skip: break
      case .replace(let revision, let form): try replace(revision, with: form)
      case .insert(let form, let revision): try insert(form, after: revision)
      case .move(let revision, let target): try move(revision, after: target)
      }
    }
  }

  func fate(of revision: Int) -> Fate {
    guard revision > stem else { return .unchanged }
    if let step = replaced[revision] { return .replaced(step) }
    return moved.contains(revision) || isSkipped(revision) ? .omitted : .unchanged
  }

  func inserted(after revision: Int) -> [BranchStep<M.Action>] { inserted[revision] ?? [] }

  func isEdited(_ revision: Int) -> Bool {
    if inserted[revision] != nil { return true }
    guard case .unchanged = fate(of: revision) else { return true }
    return false
  }
}

// MARK: - Making the plan

extension BranchPlan {
  private mutating func skip(_ range: ClosedRange<Int>) throws {
    try checkAction(range.lowerBound)
    try checkAction(range.upperBound)
    skipped.append(range)
    note(stem: range.lowerBound - 1, last: range.upperBound)
  }

  private mutating func replace(_ revision: Int, with form: ActionForm) throws {
    try checkFate(of: revision)
    let time = try history.reader.anchor(at: revision).time
    replaced[revision] = .given(
      type: form.type, action: try decode(form, "replacing action \(revision)", at: revision, time), time: time,
      replaced: revision)
    note(stem: revision - 1, last: revision)
  }

  private mutating func insert(_ form: ActionForm, after revision: Int) throws {
    _ = try known.checking(revision)
    let time = try history.reader.anchor(at: revision).time
    // A projection sees the revision before it, because the later actions keep theirs.
    let step = BranchStep.given(
      type: form.type, action: try decode(form, "inserted after revision \(revision)", at: revision, time), time: time,
      replaced: nil)
    inserted[revision, default: []].append(step)
    note(stem: revision, last: revision)
  }

  private mutating func move(_ revision: Int, after target: Int) throws {
    try checkFate(of: revision)
    _ = try known.checking(target)
    inserted[target, default: []].append(.moved(try history.action(at: revision)))
    moved.insert(revision)
    note(stem: min(revision - 1, target), last: max(revision, target))
  }

  private mutating func note(stem: Int, last: Int) {
    self.stem = min(self.stem, stem)
    lastEdited = max(lastEdited, last)
  }

  private func checkAction(_ revision: Int) throws(TimeTravelError) {
    _ = try known.checking(revision)
    guard revision > known.first else {
      throw known.first > 0
        ? TimeTravelError(
          .pruned, PrunedLog.message(ofActionAt: revision), availableRevisions: known.revisions)
        : TimeTravelError(
          .revisionOutOfRange, "revision 0 has no action", availableRevisions: known.revisions)
    }
  }

  /// Throws if two edits concern the same action.
  private func checkFate(of revision: Int) throws(TimeTravelError) {
    try checkAction(revision)
    guard !moved.contains(revision), !isSkipped(revision), replaced[revision] == nil else {
      throw TimeTravelError(.invalidEdit, "two edits concern action \(revision)")
    }
  }

  private func decode(
    _ form: ActionForm, _ place: String, at revision: Int, _ time: LogTime
  ) throws(TimeTravelError) -> M.Action {
    do {
      return try history.decoder.action(of: form, revision: revision, time: time)
    } catch {
      throw TimeTravelError(
        .invalidEdit, "'\(form.type)', \(place), does not decode as an action of '\(M.name)'",
        underlying: error)
    }
  }

  private func isSkipped(_ revision: Int) -> Bool {
    let place = skipped.partitioningIndex { range in range.upperBound >= revision }
    return place < skipped.count && skipped[place].contains(revision)
  }

  private static func joined(_ ranges: [ClosedRange<Int>]) -> [ClosedRange<Int>] {
    var joined: [ClosedRange<Int>] = []
    for range in ranges.sorted(by: { first, second in first.lowerBound < second.lowerBound }) {
      if let before = joined.last, range.lowerBound <= before.upperBound {
        joined[joined.count - 1] = before.lowerBound...max(before.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
  }
}

/// An action that only the branch has, or has elsewhere.
enum BranchStep<Action: Sendable>: Sendable {
  /// An action of the history that was moved.
  case moved(RecordedAction<Action>)
  /// A new action.
  case given(type: String, action: Action, time: LogTime, replaced: Int?)

  var type: String {
    switch self {
    case .moved(let recorded): recorded.record.type
    case .given(let type, _, _, _): type
    }
  }

  /// The actions to fold, all or none.
  var actions: [Action] {
    switch self {
    case .moved(let recorded): recorded.actions
    case .given(_, let action, _, _): [action]
    }
  }
}
