/// The streams of one store, told in the order in which they were made.
@MainActor final class StreamRegistrar<Element: Sendable>: Sendable {
  private var count = 0
  /// Ids only grow and new streams are appended, so the array stays in order of id.
  private var continuations: [(id: Int, continuation: ActionStream<Element>.Continuation)] = []

  init() {}

  deinit {
    for (_, continuation) in continuations {
      continuation.finish()
    }
  }

  /// How many streams are registered.
  var streamCount: Int { continuations.count }

  /// The counts of every registered stream, in the order in which they were made.
  var counts: [StreamCounts] { continuations.map { entry in entry.continuation.counts } }

  func makeStream() -> ActionStream<Element> {
    count += 1
    let id = count
    let stream = ActionStream<Element> { [weak self] in
      Task { @MainActor in self?.remove(id: id) }
    }
    continuations.append((id: id, continuation: stream.continuation))
    return stream
  }

  func yield(_ element: Element) {
    for (_, continuation) in continuations {
      continuation.yield(element)
    }
  }

  func finish() {
    for (_, continuation) in continuations {
      continuation.finish()
    }
    continuations.removeAll()
  }

  private func remove(id: Int) {
    continuations.removeAll { entry in entry.id == id }
  }
}
