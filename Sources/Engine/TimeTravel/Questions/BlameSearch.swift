import ActionLog
public import EventSourcing
public import JSONCoding

/// Which action last changed a value.
public struct BlameAnswer: Sendable {
  /// The place that was asked for.
  public let pointer: JSONPointer
  /// The revision that was asked at.
  public let revision: Int
  /// The last change at or before the revision; `nil` if the value is what it was at the beginning.
  public let change: ValueChange?
  /// What it took to find out.
  public internal(set) var work: QuestionWork

  private let known: KnownValue?

  /// The value at the revision; `nil` if there is none, or if it cannot be encoded.
  ///
  /// - Complexity: O(size of the value) at the first call.
  public var value: JSONValue? { known?.json(orElse: nil) }

  /// Whether there is a value at the revision.
  ///
  /// - Complexity: O(1).
  public var hasValue: Bool { known != nil }

  init(pointer: JSONPointer, revision: Int, value: KnownValue?, change: ValueChange?, work: QuestionWork) {
    self.pointer = pointer
    self.revision = revision
    self.change = change
    self.work = work
    known = value
  }
}

extension History {
  /// Finds the last action that changed a value.
  ///
  /// The last change is not the last difference between two snapshots: a value may change and come back. So every state is visited,
  /// in ranges that begin at snapshots, the newest range first, until a range holds a change. Values are compared from the newest
  /// on, and without the parts that they share.
  ///
  /// - Parameters:
  ///   - pointer: The place of the value in the state as JSON; see ``StateTree`` for the form.
  ///   - revision: The revision to ask at; `nil` is the end.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(distance from the revision to the last snapshot before the change). A cursor asks faster, the benchmark
  ///   `blame: who changed a value last`.
  public func blame(
    _ pointer: JSONPointer, at revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BlameAnswer {
    let last = try lastRevision()
    let revision = try RevisionRange(last: last).checking(revision ?? last)
    var search = BlameSearch<M>(pointer)
    let options = options.countingFolds(upTo: revision)
    return try search.run(at: revision, in: self) { last in
      let look = try BlameSearch<M>.look(at: pointer, to: last, isCancelled: options.isCancelled) { last, visitor in
        try walk(fromSnapshotAtOrBefore: max(0, last - 1), to: last, options: options, visitor: visitor)
      }
      return [look]
    }
  }
}

/// The search backward for the last change of a value.
struct BlameSearch<M: Model> {
  private let pointer: JSONPointer
  private(set) var work = QuestionWork()

  /// Shows every state up to a revision, from one before it on, except at revision 0.
  typealias Stretch = (_ last: Int, _ visitor: StateVisitor<M.State>) throws -> Replayed<M.State>

  init(_ pointer: JSONPointer) {
    self.pointer = pointer
  }

  /// Visits one range after the other, the newest first, until one holds a change.
  ///
  /// - Parameters:
  ///   - revision: The revision to ask at.
  ///   - history: The history, which has the record of the change.
  ///   - looks: Visits every state of a range that ends at a revision, in one part or in several. Each part ends where the next one
  ///     begins.
  mutating func run(
    at revision: Int, in history: History<M>, _ looks: (_ last: Int) throws -> [Look]
  ) throws -> BlameAnswer {
    var last = revision
    var change: FoundChange?
    var value: KnownValue?
    repeat {
      let found = try looks(last)
      for look in found {
        work.add(look.report)
        work.statesVisited += look.visited
        work.bytesEncoded += look.bytesEncoded
        change = look.change ?? change
      }
      if last == revision { value = found.last?.value }
      last = found.first?.first ?? 0
    } while change == nil && last > 0
    let valueChange = try change.map { change in
      ValueChange(change.values, at: pointer, by: try history.reader.record(at: change.revision))
    }
    return BlameAnswer(pointer: pointer, revision: revision, value: value, change: valueChange, work: work)
  }
}

extension BlameSearch {
  /// A change of the value, and the revision that it led to.
  struct FoundChange: Sendable {
    var revision: Int
    var values: KnownChange
  }

  /// What a part of a history holds.
  struct Look: Sendable {
    /// The value at the end.
    var value: KnownValue?
    /// The last change.
    var change: FoundChange?
    /// The revision at the beginning.
    var first: Int
    var visited = 0
    var bytesEncoded = 0
    var report = ReplayReport()
  }

  /// An action behind which the value has other bytes, so that it may be another one.
  private struct Touch {
    var revision: Int
    var old: KnownValue?
    var new: KnownValue?
  }

  /// So many touches are kept and compared at the end of a part, the newest first. Nearly always the newest is a change. Each keeps a
  /// version of the value, which may be a copy of all of it.
  private static var touchLimit: Int { 4 }

  /// Visits every state of a part.
  ///
  /// Values of a few bytes are compared at once. Of others the last touches are remembered. If none of those is a change, the states
  /// before them are visited again, and each touch is compared.
  static func look(
    at pointer: JSONPointer, to last: Int, isCancelled: @escaping @Sendable () -> Bool, _ stretch: Stretch
  ) throws -> Look {
    var (look, touches, isComplete) = try visit(pointer, to: last, comparesAll: false, isCancelled, stretch)
    let watched = WatchedValue<M.State>(pointer)
    for touch in touches.reversed() {
      guard let values = try watched.change(from: touch.old, to: touch.new) else { continue }
      look.change = FoundChange(revision: touch.revision, values: values)
      look.bytesEncoded += watched.bytesEncoded
      return look
    }
    look.bytesEncoded += watched.bytesEncoded
    guard let oldest = touches.first, !isComplete, oldest.revision - 1 > look.first else { return look }
    let (earlier, _, _) = try visit(pointer, to: oldest.revision - 1, comparesAll: true, isCancelled, stretch)
    look.change = earlier.change
    look.visited += earlier.visited
    look.bytesEncoded += earlier.bytesEncoded
    look.report.actionsFolded += earlier.report.actionsFolded
    look.report.snapshotsLoaded += earlier.report.snapshotsLoaded
    look.report.bytesRead += earlier.report.bytesRead
    return look
  }

  /// Visits every state of a part once.
  ///
  /// - Returns: What was found, the touches that were not compared, and whether those are all.
  private static func visit(
    _ pointer: JSONPointer, to last: Int, comparesAll: Bool, _ isCancelled: @escaping @Sendable () -> Bool,
    _ stretch: Stretch
  ) throws -> (look: Look, touches: [Touch], isComplete: Bool) {
    var check = CancellationCheck(isCancelled)
    let watched = WatchedValue<M.State>(pointer)
    var look = Look(first: last)
    var touches: [Touch] = []
    var isComplete = true
    let replayed = try stretch(
      last,
      StateVisitor(
        begin: { state, revision in
          look.first = revision
          look.visited += 1
          try watched.read(state)
          return true
        },
        visit: { state, batch, index in
          look.visited += 1
          try check.pass()
          let old = watched.value
          let new = try watched.read(state)
          guard old !== new else { return true }
          let revision = batch.entries[index].seq
          if comparesAll || (old?.isPlain ?? true && new?.isPlain ?? true) {
            guard let values = try watched.change(from: old, to: new) else { return true }
            (look.change, touches, isComplete) = (FoundChange(revision: revision, values: values), [], true)
          } else {
            touches.append(Touch(revision: revision, old: old, new: new))
            if touches.count > touchLimit {
              touches.removeFirst()
              // The change before the oldest touch that is kept may not be the last one any more.
              (look.change, isComplete) = (nil, false)
            }
          }
          return true
        }))
    look.value = watched.value
    look.report = replayed.report
    look.bytesEncoded = watched.bytesEncoded
    return (look, touches, isComplete)
  }
}
