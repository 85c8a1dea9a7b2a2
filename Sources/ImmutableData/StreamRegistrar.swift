/// The streams of one store, told in the order in which they were made.
@MainActor package final class StreamRegistrar<Element: Sendable>: Sendable {
  private var count = 0
  /// Ids only grow and new streams are appended, so the array stays in order of id.
  private var continuations: [(id: Int, continuation: ActionStream<Element>.Continuation)] = []

  package init() {}

  deinit {
    for (_, continuation) in continuations {
      continuation.finish()
    }
  }

  /// How many streams are registered.
  package var streamCount: Int { continuations.count }

  /// The counts of every registered stream, in the order in which they were made.
  package var counts: [StreamCounts] { continuations.map { entry in entry.continuation.counts } }

  package func makeStream() -> ActionStream<Element> {
    count += 1
    let id = count
    let stream = ActionStream<Element> { [weak self] in
      Task { @MainActor in self?.remove(id: id) }
    }
    continuations.append((id: id, continuation: stream.continuation))
    return stream
  }

  package func yield(_ element: Element) {
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
