/// The open streams of a store, in order of creation.
@MainActor package final class StreamRegistrar<Element: Sendable>: Sendable {
  /// Counts every yielded element, even without a stream.
  package nonisolated let accepted = ActionCounter()
  private var count = 0
  /// Sorted by id: ids increase, and new streams are appended.
  private var continuations: [(id: Int, continuation: ActionStream<Element>.Continuation)] = []

  package init() {}

  deinit {
    for (_, continuation) in continuations {
      continuation.finish()
    }
  }

  /// The number of open streams.
  package var streamCount: Int { continuations.count }

  /// The counts of each open stream, in order of creation.
  package var counts: [StreamCounts] { continuations.map { entry in entry.continuation.counts } }

  package func makeStream() -> ActionStream<Element> {
    count += 1
    let id = count
    let stream = ActionStream<Element>(accepted: accepted) { [weak self] in
      Task { @MainActor in self?.remove(id: id) }
    }
    continuations.append((id: id, continuation: stream.continuation))
    return stream
  }

  package func yield(_ element: Element) {
    accepted.increment()
    for (_, continuation) in continuations {
      continuation.yield(element)
    }
  }

  package func finish() {
    for (_, continuation) in continuations {
      continuation.finish()
    }
    continuations.removeAll()
  }

  private func remove(id: Int) {
    continuations.removeAll { entry in entry.id == id }
  }
}
