import ImmutableData
import TestSupport
import Testing

/// The features of an action stream beyond a plain asynchronous sequence: counts, batches, and the release of consumed elements.
@MainActor @Suite struct ActionStreamTests {
  @Test func countsFollowProducerAndConsumer() async throws {
    let store = TallyStore()
    let stream = store.makeStream()
    var iterator = stream.makeAsyncIterator()
    #expect(stream.counts == StreamCounts(yielded: 0, consumed: 0))
    try store.add(1, 2, 3)
    #expect(stream.counts == StreamCounts(yielded: 3, consumed: 0))
    #expect(stream.counts.buffered == 3)
    _ = await iterator.next()
    #expect(stream.counts == StreamCounts(yielded: 3, consumed: 1))
    _ = await iterator.nextBatch()
    #expect(stream.counts == StreamCounts(yielded: 3, consumed: 3))
    #expect(stream.counts.buffered == 0)
    #expect(store.streamCounts == [stream.counts])
  }

  @Test(arguments: [(1, [1, 1, 1, 1, 1]), (2, [2, 2, 1]), (3, [3, 2]), (5, [5]), (6, [5]), (.max, [5])])
  func aBatchHoldsBufferedElementsUpToItsLimit(limit: Int, sizes: [Int]) async throws {
    let store = TallyStore()
    let stream = store.makeStream()
    try store.add(1, 2, 3, 4, 5)
    store.finish()

    var iterator = stream.makeAsyncIterator()
    var batches: [[TallyAction]] = []
    while let batch = await iterator.nextBatch(limit: limit) { batches.append(batch.map(\.action)) }
    #expect(batches.map(\.count) == sizes)
    #expect(batches.flatMap { batch in batch } == [.add(1), .add(2), .add(3), .add(4), .add(5)])
    #expect(await iterator.nextBatch(limit: limit) == nil)
  }

  @Test func batchesKeepTheOrder() async throws {
    let store = TallyStore()
    let stream = store.makeStream()
    var iterator = stream.makeAsyncIterator()
    var received: [TallyAction] = []
    var sent = 0
    // Bursts and batches of changing sizes move the head of the buffer through all its cases.
    for round in 1...60 {
      for _ in 0..<(round * 7 % 41) + 1 {
        try store.add(sent)
        sent += 1
      }
      let limit = round * 13 % 29 + 1
      received += (await iterator.nextBatch(limit: limit) ?? []).map(\.action)
    }
    store.finish()
    while let element = await iterator.next() { received.append(element.action) }
    #expect(received == (0..<sent).map { number in .add(number) })
  }

  @Test(arguments: 0..<8)
  func singleElementsAndBatchesAreOneStream(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = TallyStore()
    let stream = store.makeStream()
    var iterator = stream.makeAsyncIterator()
    var received: [TallyAction] = []
    var sent = 0
    for _ in 0..<200 {
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        try store.add(sent)
        sent += 1
      }
      let buffered = stream.counts.buffered
      guard buffered > 0 else { continue }
      if Bool.random(using: &random) {
        received += [await iterator.next()].compactMap { element in element?.action }
      } else {
        let limit = Int.random(in: 1...12, using: &random)
        let batch = await iterator.nextBatch(limit: limit) ?? []
        #expect(batch.count == min(limit, buffered), "seed \(seed)")
        received += batch.map(\.action)
      }
      #expect(stream.counts.buffered == sent - received.count, "seed \(seed)")
    }
    store.finish()
    while let element = await iterator.next() { received.append(element.action) }
    #expect(received == (0..<sent).map { number in .add(number) }, "seed \(seed)")
  }

  @Test func anEndedStreamStaysEnded() async {
    let store = TallyStore()
    var iterator = store.makeStream().makeAsyncIterator()
    store.finish()
    for _ in 0..<3 { #expect(await iterator.next() == nil) }
    #expect(await iterator.nextBatch() == nil)
  }

  @Test func aBatchOfNothingIsAProgrammerError() async {
    await #expect(processExitsWith: .failure) { @MainActor in
      var iterator = TallyStore().makeStream().makeAsyncIterator()
      _ = await iterator.nextBatch(limit: 0)
    }
  }

  @Test func twoConsumersOfOneStreamAreAProgrammerError() async {
    await #expect(processExitsWith: .failure) { @MainActor in
      let store = TallyStore()
      let stream = store.makeStream()
      async let first: [String] = rest(of: stream)
      async let second: [String] = rest(of: stream)
      _ = await (first, second)
      withExtendedLifetime(store) {}
    }
  }
}

/// A backlog retains complete states, so consumed elements must be released.
@MainActor @Suite struct StreamMemoryTests {
  private final class Payload: Sendable {}

  private struct Weak { weak let payload: Payload? }

  private typealias PayloadStore = Store<Int, Payload>

  private func makeStore() -> PayloadStore {
    PayloadStore(initialState: 0) { state, _ in state + 1 }
  }

  private func dispatch(_ count: Int, to store: PayloadStore) throws -> [Weak] {
    try (0..<count).map { _ in
      let payload = Payload()
      try store.dispatch(action: payload)
      return Weak(payload: payload)
    }
  }

  @Test func consumedBatchesAreReleased() async throws {
    let store = makeStore()
    let stream = store.makeStream()
    let payloads = try dispatch(1_000, to: store)
    #expect(payloads.allSatisfy { entry in entry.payload != nil })
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.nextBatch()?.count == 1_000)
    #expect(payloads.allSatisfy { entry in entry.payload == nil })
  }

  /// When elements are consumed singly, the buffer releases them at the latest when most of it is consumed.
  @Test func singlyConsumedElementsAreReleased() async throws {
    let store = makeStore()
    let stream = store.makeStream()
    let payloads = try dispatch(1_000, to: store)
    var iterator = stream.makeAsyncIterator()
    for _ in 0..<600 { _ = await iterator.next() }
    let held = payloads.count { entry in entry.payload != nil }
    #expect((400...800).contains(held))
    for _ in 600..<1_000 { _ = await iterator.next() }
    #expect(payloads.allSatisfy { entry in entry.payload == nil })
    withExtendedLifetime(store) {}
  }

  @Test func unconsumedElementsAreReleased() async throws {
    let store = makeStore()
    var stream: PayloadStore.Stream? = store.makeStream()
    let payloads = try dispatch(10, to: store)
    #expect(stream?.counts.buffered == 10)
    stream = nil
    for _ in 0..<100_000 where !store.streamCounts.isEmpty { await Task.yield() }
    #expect(payloads.allSatisfy { entry in entry.payload == nil })
  }

  @Test func aStreamDoesNotKeepItsStoreAlive() {
    var store: PayloadStore? = makeStore()
    weak let gone = store
    let stream = store?.makeStream()
    store = nil
    #expect(gone == nil)
    withExtendedLifetime(stream) {}
  }
}
