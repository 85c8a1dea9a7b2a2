import ImmutableData
import TestSupport
import Testing

/// Canceling the consuming task ends its stream at the next request, after all elements that were buffered before.
@MainActor @Suite struct CancellationTests {
  private let store = TallyStore()
  private let consumption = Consumption()

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test func aCanceledConsumerReceivesBufferedElements() throws {
    let executor = StepExecutor()
    let task = consume(store.makeStream(), on: executor, into: consumption)
    for _ in 0..<1_000 { try store.add(1) }
    task.cancel()
    executor.runAll()
    #expect(consumption.text == (0..<1_000).map { total in "\(total)+1" } + ["end"])
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test func aWaitingConsumerEndsWhenCanceled() async throws {
    let executor = StepExecutor()
    let task = consume(store.makeStream(), on: executor, into: consumption)
    executor.runAll()
    task.cancel()
    executor.runAll()
    #expect(consumption.text == ["end"])
    #expect(await settle { store.streamCounts.isEmpty })
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test func nothingIsTakenAfterACanceledRequest() throws {
    let executor = StepExecutor()
    let stream = store.makeStream()
    let task = consume(stream, on: executor, into: consumption)
    try store.add(1, 2)
    executor.run { consumption.text.count == 1 }
    #expect(consumption.text == ["0+1"])

    task.cancel()
    try store.add(3)
    executor.run { consumption.text.count == 2 }
    #expect(consumption.text == ["0+1", "1+2"])

    try store.add(4)
    executor.runAll()
    #expect(consumption.text == ["0+1", "1+2", "3+3", "end"])
    #expect(stream.counts == StreamCounts(yielded: 3, consumed: 3))
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test func otherSubscribersContinue() throws {
    let executor = StepExecutor()
    let task = consume(store.makeStream(), on: executor, into: Consumption())
    _ = consume(store.makeStream(), on: executor, into: consumption)
    executor.runAll()
    task.cancel()
    try store.add(1)
    executor.runAll()
    #expect(consumption.text == ["0+1"])
    store.finish()
    executor.runAll()
  }
}
