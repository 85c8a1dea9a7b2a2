import ActionLog
import EventSourcing
import JSONCoding

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
