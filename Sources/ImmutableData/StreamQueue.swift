/// The elements of a stream between its producer and its consumer, with their counts.
///
/// Elements lie in chunks of some length. Putting one in never moves many others, however many wait, and a chunk is taken out as
/// it is, so that whoever holds the lock holds it for moments: the producer is a dispatch, and must not wait for the consumer.
struct StreamQueue<Element: Sendable>: Sendable {
  /// As many as a recorder takes at a time.
  static var chunkLength: Int { 1_024 }

  /// From so many elements on a batch is worth its while, and no chunk is parted to make it longer.
  static var worthwhileLength: Int { 256 }

  /// Chunks in the order in which they came; the last one is being filled.
  private var incoming: [[Element]] = []
  /// Chunks that came before those, in reverse.
  private var outgoing: [[Element]] = []
  /// The rest of a chunk before those, in reverse: the next element is taken from the end, and nothing of it stays behind.
  private var begun: [Element] = []
  private(set) var counts = StreamCounts()

  var isEmpty: Bool { begun.isEmpty && outgoing.isEmpty && incoming.isEmpty }

  /// Puts an element in.
  ///
  /// - Complexity: O(1).
  mutating func add(_ element: Element) {
    counts.yielded += 1
    if let last = incoming.indices.last, incoming[last].count < Self.chunkLength {
      incoming[last].append(element)
    } else {
      incoming.append([element])
    }
  }

  /// Takes the next element, if there is one.
  ///
  /// - Complexity: O(1) amortised.
  mutating func takeFirst() -> Element? {
    if begun.isEmpty, let chunk = takeChunk() { begun = chunk.reversed() }
    guard let element = begun.popLast() else { return nil }
    counts.consumed += 1
    return element
  }

  /// Takes the next elements, at most `limit`. Of more than ``worthwhileLength`` it may leave some for the next time.
  ///
  /// - Complexity: O(1) for a whole chunk; O(length of the result) for what is put together.
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
