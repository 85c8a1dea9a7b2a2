import ActionLog
import EventSourcing
import JSONCoding

/// The search backward for the last change of a value.
struct BlameSearch<M: Model> {
  private let watched: WatchedValue<M.State>
  private(set) var work = QuestionWork()

  /// Shows every state of a stretch that ends at a revision and begins before it, except at revision 0.
  typealias Stretch = (_ last: Int, _ visitor: StateVisitor<M.State>) throws -> Replayed<M.State>

  init(_ pointer: JSONPointer) {
    watched = WatchedValue(pointer)
  }

  /// Looks at one stretch before the other until one holds a change.
  mutating func run(at revision: Int, _ stretch: Stretch) throws -> BlameAnswer {
    var last = revision
    var found: (value: JSONValue?, change: ValueChange?, first: Int)
    var value: JSONValue?
    repeat {
      found = try look(to: last, stretch)
      if last == revision { value = found.value }
      last = found.first
    } while found.change == nil && found.first > 0
    return BlameAnswer(
      pointer: watched.probe.pointer, revision: revision, value: value, change: found.change, work: work)
  }

  private mutating func look(
    to last: Int, _ stretch: Stretch
  ) throws -> (value: JSONValue?, change: ValueChange?, first: Int) {
    var first = last
    var change: ValueChange?
    var visited = 0
    let watched = self.watched
    let replayed = try stretch(
      last,
      StateVisitor(
        begin: { state, revision in
          first = revision
          visited += 1
          try watched.begin(state)
          return true
        },
        visit: { state, batch, index in
          visited += 1
          if let (old, new) = try watched.change(state) {
            change = ValueChange(pointer: watched.probe.pointer, record: batch.record(at: index), old: old, new: new)
          }
          return true
        }))
    work.add(replayed.report)
    work.statesVisited += visited
    return (watched.value, change, first)
  }
}
