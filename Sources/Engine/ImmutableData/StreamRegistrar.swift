import Platform

/// The open streams of a store, in order of creation.
///
/// Its store yields from one task at a time, so elements have an order. A stream can end at any time, on any thread.
package final class StreamRegistrar<Element: Sendable>: Sendable {
  private struct Contents: Sendable {
    var count = 0
    /// Sorted by id: ids increase, and new streams are appended.
    var continuations: [(id: Int, continuation: ActionStream<Element>.Continuation)] = []
  }

  /// Counts every element, even without a stream.
  package let accepted = ActionCounter()
  private let contents = Locked(Contents())

  package init() {}

  deinit {
    for (_, continuation) in current { continuation.finish() }
  }

  private var current: [(id: Int, continuation: ActionStream<Element>.Continuation)] {
    contents.withLock { contents in contents.continuations }
  }

  package var streamCount: Int { current.count }

  /// The counts of each open stream, in order of creation.
  package var counts: [StreamCounts] { current.map { entry in entry.continuation.counts } }

  package func makeStream() -> ActionStream<Element> {
    let id = contents.withLock { contents in
      contents.count += 1
      return contents.count
    }
    let stream = ActionStream<Element>(accepted: accepted) { [weak self] in self?.remove(id: id) }
    contents.withLock { contents in contents.continuations.append((id: id, continuation: stream.continuation)) }
    return stream
  }

  /// Counts an element and yields it to every stream.
  package func yield(_ element: Element) {
    accepted.increment()
    deliver(element)
  }

  /// Yields an element that is already counted.
  func deliver(_ element: Element) {
    for (_, continuation) in current { continuation.yield(element) }
  }

  package func finish() {
    accepted.refuseAfterStreams()
    let ended = contents.withLock { contents in
      defer { contents.continuations = [] }
      return contents.continuations
    }
    for (_, continuation) in ended { continuation.finish() }
  }

  private func remove(id: Int) {
    contents.withLock { contents in contents.continuations.removeAll { entry in entry.id == id } }
  }
}

/// The buffered elements of a stream, with their counts.
///
/// Elements are stored in chunks. Adding an element never moves many others, and a complete chunk is removed without copying. Both keep
/// the lock short, so that a dispatch does not wait for the consumer.
struct StreamQueue<Element: Sendable>: Sendable {
  /// The batch size of a recorder.
  static var chunkLength: Int { 1_024 }

  /// The batch length from which a chunk is not split to make the batch longer.
  static var worthwhileLength: Int { 256 }

  /// The newest chunks, in order. Elements are appended to the last one.
  private var incoming: [[Element]] = []
  /// The chunks before `incoming`, in reverse order.
  private var outgoing: [[Element]] = []
  /// The rest of the chunk before `outgoing`, in reverse order, so that elements are removed from its end.
  private var begun: [Element] = []
  private(set) var counts = StreamCounts()

  var isEmpty: Bool { begun.isEmpty && outgoing.isEmpty && incoming.isEmpty }

  mutating func add(_ element: Element) {
    counts.yielded += 1
    if let last = incoming.indices.last, incoming[last].count < Self.chunkLength {
      incoming[last].append(element)
    } else {
      incoming.append([element])
    }
  }

  mutating func takeFirst() -> Element? {
    if begun.isEmpty, let chunk = takeChunk() { begun = chunk.reversed() }
    guard let element = begun.popLast() else { return nil }
    counts.consumed += 1
    return element
  }

  /// Removes the next elements, at most `limit`. Stops early, at the end of a chunk, after ``worthwhileLength`` elements.
  mutating func take(limit: Int) -> [Element] {
    var batch: [Element] = []
    let rest = begun.suffix(limit)
    if !rest.isEmpty {
      batch = rest.reversed()
      begun.removeLast(rest.count)
    }
    while batch.count < limit, let chunk = takeChunk() {
      if batch.isEmpty, chunk.count <= limit {
        batch = chunk
      } else if batch.count + chunk.count <= limit {
        batch += chunk
      } else if batch.count >= Self.worthwhileLength {
        outgoing.append(chunk)
        break
      } else {
        let (part, left) = (chunk.prefix(limit - batch.count), chunk.dropFirst(limit - batch.count))
        batch += part
        begun = left.reversed()
      }
    }
    counts.consumed += batch.count
    return batch
  }

  private mutating func takeChunk() -> [Element]? {
    if outgoing.isEmpty {
      swap(&incoming, &outgoing)
      outgoing.reverse()
    }
    return outgoing.popLast()
  }
}
