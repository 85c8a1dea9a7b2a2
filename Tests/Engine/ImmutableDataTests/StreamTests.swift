import ImmutableData
import TestSupport
import Testing

/// The order of delivery, the elements that each consumer receives, and the end of streams.
@MainActor @Suite struct StreamTests {
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test func dispatchBuffersBeforeSubscribersRun() throws {
    let store = TallyStore()
    let executor = StepExecutor()
    let consumption = Consumption()
    let stream = store.makeStream()
    _ = consume(stream, on: executor, into: consumption)
    executor.runAll()

    try store.add(1, 2)
    #expect(consumption.text.isEmpty)
    #expect(stream.counts == StreamCounts(yielded: 2, consumed: 0))

    executor.runAll()
    #expect(consumption.text == ["0+1", "1+2"])
    #expect(stream.counts == StreamCounts(yielded: 2, consumed: 2))
    store.finish()
    executor.runAll()
    #expect(consumption.text.last == "end")
  }

  /// With many subscribers, the order of a hash table would differ.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test func subscribersReceiveInOrderOfRegistration() throws {
    let store = TallyStore()
    let executor = StepExecutor()
    let consumption = Consumption()
    let labels = (1...20).map { number in "s\(number)" }
    for label in labels {
      _ = consume(store.makeStream(), on: executor, into: consumption, label: label)
    }
    executor.runAll()

    try store.add(7)
    executor.runAll()
    #expect(consumption.text == labels.map { label in "\(label) add(7)" })

    store.finish()
    executor.runAll()
    #expect(consumption.text.suffix(20) == labels.map { label in "\(label) end" })
  }

  @Test func aRemovedStreamLeavesTheOthersInOrder() async throws {
    let store = TallyStore()
    var streams: [TallyStream?] = (0..<4).map { number in
      // The counts identify the streams: number n has received 4 - n elements.
      defer { try? store.add(number) }
      return store.makeStream()
    }
    #expect(store.streamCounts.map(\.yielded) == [4, 3, 2, 1])
    streams[1] = nil
    #expect(await settle { store.streamCounts.count == 3 })
    #expect(store.streamCounts.map(\.yielded) == [4, 2, 1])
    let late = store.makeStream()
    #expect(store.streamCounts.map(\.yielded) == [4, 2, 1, 0])
    withExtendedLifetime((streams, late)) {}
  }

  @Test func aLateSubscriberReceivesNoPastActions() async throws {
    let store = TallyStore()
    let early = store.makeStream()
    try store.add(1)
    let late = store.makeStream()
    try store.add(2)
    store.finish()
    #expect(await rest(of: early) == ["0+1", "1+2"])
    #expect(await rest(of: late) == ["1+2"])
  }

  @Test func everySubscriberReceivesEverything() async throws {
    let store = TallyStore()
    let streams = (0..<5).map { _ in store.makeStream() }
    for number in 1...100 { try store.add(number) }
    #expect(store.streamCounts == Array(repeating: StreamCounts(yielded: 100, consumed: 0), count: 5))
    store.finish()
    for stream in streams {
      let received = await rest(of: stream)
      #expect(received.count == 100)
      #expect(received.last == "4950+100")
    }
  }

  @Test func releasedStoresEndTheirStreamsAfterDelivery() async throws {
    var store: TallyStore? = TallyStore()
    weak let gone = store
    let first = try #require(store?.makeStream())
    let second = try #require(store?.makeStream())
    try store?.add(1, 2)
    store = nil
    #expect(gone == nil)
    #expect(await rest(of: first) == ["0+1", "1+2"])
    #expect(await rest(of: second) == ["0+1", "1+2"])
    #expect(await rest(of: second) == [])
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test func aReleasedStoreEndsAWaitingConsumer() {
    let executor = StepExecutor()
    let consumption = Consumption()
    var store: TallyStore? = TallyStore()
    if let stream = store?.makeStream() { _ = consume(stream, on: executor, into: consumption) }
    executor.runAll()
    #expect(consumption.text.isEmpty)
    store = nil
    executor.runAll()
    #expect(consumption.text == ["end"])
  }

  @Test func finishingEndsOnlyThePresentStreams() async throws {
    let store = TallyStore()
    let before = store.makeStream()
    try store.add(1)
    store.finish()
    store.finish()
    #expect(store.streamCounts.isEmpty)
    let after = store.makeStream()
    try store.add(2)
    #expect(before.counts.yielded == 1)
    #expect(await rest(of: before) == ["0+1"])
    store.finish()
    #expect(await rest(of: after) == ["1+2"])
  }

  @Test func aDroppedStreamIsRemoved() async throws {
    let store = TallyStore()
    _ = store.makeStream()
    var kept: TallyStream? = store.makeStream()
    #expect(await settle { store.streamCounts.count == 1 })
    try store.add(1)
    #expect(kept?.counts.yielded == 1)
    kept = nil
    #expect(await settle { store.streamCounts.isEmpty })
  }

  /// An iterator keeps its stream alive, as in a loop over a stream without another owner.
  @Test func aStreamLivesAsLongAsItsIterator() async throws {
    let store = TallyStore()
    var iterator: TallyStream.Iterator? = store.makeStream().makeAsyncIterator()
    for _ in 0..<100 { await Task.yield() }
    try store.add(1)
    #expect(store.streamCounts == [StreamCounts(yielded: 1, consumed: 0)])
    #expect(await iterator?.next()?.action == .add(1))
    iterator = nil
    #expect(await settle { store.streamCounts.isEmpty })
  }
}
