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

  /// Looks at one stretch before the other until one holds a change.
  ///
  /// - Parameter looks: Looks at every state of a stretch that ends at a revision; at one part of it after the other, or at several
  ///   at once. Each part ends where the next one begins.
  mutating func run(at revision: Int, _ looks: (_ last: Int) throws -> [Look]) throws -> BlameAnswer {
    var last = revision
    var change: ValueChange?
    var value: JSONValue?
    repeat {
      let found = try looks(last)
      for look in found {
        work.add(look.report)
        work.statesVisited += look.visited
        change = look.change ?? change
      }
      if last == revision { value = found.last?.value }
      last = found.first?.first ?? 0
    } while change == nil && last > 0
    return BlameAnswer(pointer: pointer, revision: revision, value: value, change: change, work: work)
  }
}

extension BlameSearch {
  /// What there was to be seen in a part of a history.
  struct Look: Sendable {
    /// The value at the end.
    var value: JSONValue?
    /// The last change.
    var change: ValueChange?
    /// The revision at the beginning.
    var first: Int
    var visited = 0
    var report = ReplayReport()
  }

  /// Looks at every state of a part.
  static func look(
    at pointer: JSONPointer, to last: Int, isCancelled: @escaping @Sendable () -> Bool, _ stretch: Stretch
  ) throws -> Look {
    var check = CancellationCheck(isCancelled)
    let watched = WatchedValue<M.State>(pointer)
    var look = Look(first: last)
    let replayed = try stretch(
      last,
      StateVisitor(
        begin: { state, revision in
          look.first = revision
          look.visited += 1
          try watched.begin(state)
          return true
        },
        visit: { state, batch, index in
          look.visited += 1
          try check.pass()
          if let (old, new) = try watched.change(state) {
            look.change = ValueChange(pointer: pointer, record: batch.record(at: index), old: old, new: new)
          }
          return true
        }))
    look.value = watched.value
    look.report = replayed.report
    return look
  }
}
