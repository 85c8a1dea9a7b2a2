import AsyncSequenceTestUtils
import TestSupport
import Testing

/// A test delivers elements one at a time, and checks the consumer after each.
@MainActor @Suite struct AsyncSequenceTestDoubleTests {
  let sequence = AsyncSequenceTestDouble<Int>()
  let consumption = Consumption()

  @Test func resumeReturnsAfterTheElementIsConsumed() async {
    let task = consume()
    for number in 1...100 {
      await sequence.iterator.resume(returning: number)
      #expect(consumption.text.last == "done \(number)")
      #expect(consumption.text.count == 2 * number)
    }
    await sequence.iterator.resume(returning: nil)
    await task.value
    #expect(consumption.text.last == "end")
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test func nextWaitsUntilItIsResumed() {
    let executor = StepExecutor()
    let consumer = Self.consume(sequence, on: executor, into: consumption)
    executor.runAll()
    #expect(consumption.text == [])
    let test = Self.resume(sequence, with: [7], on: executor, into: consumption)
    executor.runAll()
    #expect(consumption.text == ["got 7", "done 7", "resumed 7"])
    withExtendedLifetime((consumer, test)) {}
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test func resumeWaitsForAConsumer() {
    let executor = StepExecutor()
    let test = Self.resume(sequence, with: [7], on: executor, into: consumption)
    executor.runAll()
    #expect(consumption.text == [])
    let consumer = Self.consume(sequence, on: executor, into: consumption)
    executor.runAll()
    #expect(consumption.text == ["got 7", "done 7", "resumed 7"])
    withExtendedLifetime((consumer, test)) {}
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test func waitingElementsKeepTheOrderOfTheCalls() {
    let executor = StepExecutor()
    for number in 1...3 { _ = Self.resume(sequence, with: [number], on: executor, into: consumption) }
    _ = Self.resume(sequence, with: [nil], on: executor, into: consumption)
    executor.runAll()
    #expect(consumption.text == [])
    _ = Self.consume(sequence, on: executor, into: consumption)
    executor.runAll()
    let received = consumption.text.filter { text in text.hasPrefix("got") || text == "end" }
    #expect(received == ["got 1", "got 2", "got 3", "end"])
    #expect(consumption.text.filter { text in text.hasPrefix("resumed") }.count == 4)
    // Each call returns after its own element was consumed, independently of the others.
    for number in 1...3 { #expect(consumption.isOrdered("done \(number)", "resumed \(number)")) }
  }

  // MARK: - The end

  @Test func nilEndsTheSequence() async {
    let task = consume()
    await sequence.iterator.resume(returning: 1)
    await sequence.iterator.resume(returning: nil)
    await task.value
    #expect(consumption.text == ["got 1", "done 1", "end"])

    await sequence.iterator.resume(returning: 2)
    await sequence.iterator.resume(returning: nil)
    await consume().value
    #expect(await sequence.iterator.next() == nil)
    #expect(consumption.text == ["got 1", "done 1", "end", "end"])
  }

  @Test func nilNeedsNoConsumer() async {
    await sequence.iterator.resume(returning: nil)
    await consume().value
    #expect(consumption.text == ["end"])
  }

  @Test func anEndDuringAnElementComesAfterIt() async {
    var end: Task<Void, Never>?
    let task = Task {
      for await number in sequence {
        if number == 1 {
          end = Task {
            await sequence.iterator.resume(returning: nil)
            consumption.note("ended")
          }
          for _ in 0..<20 { await Task.yield() }
        }
        consumption.note("done \(number)")
      }
      consumption.note("end")
    }
    await sequence.iterator.resume(returning: 1)
    await task.value
    await end?.value
    #expect(consumption.text.count == 3)
    #expect(consumption.isOrdered("done 1", "end"))
    #expect(consumption.isOrdered("done 1", "ended"))
  }

  // MARK: - Consumers that go

  @Test func cancelingAWaitingConsumerEndsTheSequence() async {
    let task = consume()
    await sequence.iterator.resume(returning: 1)
    task.cancel()
    await task.value
    await sequence.iterator.resume(returning: 2)
    await consume().value
    #expect(consumption.text == ["got 1", "done 1", "end", "end"])
  }

  @Test func aCanceledConsumerReleasesAWaitingTest() async {
    let task = Task {
      for await number in sequence {
        consumption.note("got \(number)")
        withUnsafeCurrentTask { task in task?.cancel() }
      }
      consumption.note("end")
    }
    await sequence.iterator.resume(returning: 1)
    await task.value
    await sequence.iterator.resume(returning: 2)
    #expect(consumption.text == ["got 1", "end"])
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test func theEndReleasesEveryWaitingTest() {
    let executor = StepExecutor()
    for number in 1...3 { _ = Self.resume(sequence, with: [number], on: executor, into: consumption) }
    let consumer = Self.consume(sequence, on: executor, into: consumption)
    executor.run { consumption.text.contains("got 1") }
    consumer.cancel()
    executor.runAll()
    #expect(Set(consumption.text) == ["got 1", "done 1", "end", "resumed 1", "resumed 2", "resumed 3"])
  }

  @Test func aCanceledConsumerReceivesTheEnd() async {
    let task = consume()
    task.cancel()
    await task.value
    await sequence.iterator.resume(returning: 1)
    #expect(consumption.text == ["end"])
  }

  @Test func aConsumerThatLeavesItsLoopReleasesTheTest() async {
    let first = Task {
      for await number in sequence {
        consumption.note("first \(number)")
        if number == 2 { break }
      }
    }
    await sequence.iterator.resume(returning: 1)
    await sequence.iterator.resume(returning: 2)
    await first.value
    let second = Task {
      for await number in sequence { consumption.note("second \(number)") }
    }
    await sequence.iterator.resume(returning: 3)
    await sequence.iterator.resume(returning: nil)
    await second.value
    #expect(consumption.text == ["first 1", "first 2", "second 3"])
  }

  @Test func aThrowingConsumerReleasesTheTest() async {
    struct Failure: Error {}
    let task = Task {
      for await _ in sequence { throw Failure() }
    }
    await sequence.iterator.resume(returning: 1)
    await #expect(throws: Failure.self) { try await task.value }
  }

  @Test func aCanceledLoopEndsTheSequence() async {
    let task = Task {
      for await number in sequence {
        consumption.note("got \(number)")
        withUnsafeCurrentTask { task in task?.cancel() }
        if Task.isCancelled { break }
      }
    }
    await sequence.iterator.resume(returning: 1)
    await task.value
    await sequence.iterator.resume(returning: 2)
    #expect(consumption.text == ["got 1"])
  }

  @Test func aDiscardedIteratorEndsNothing() async {
    _ = sequence.makeAsyncIterator()
    let task = consume()
    await sequence.iterator.resume(returning: 1)
    _ = sequence.makeAsyncIterator()
    await sequence.iterator.resume(returning: nil)
    await task.value
    #expect(consumption.text == ["got 1", "done 1", "end"])
  }

  // MARK: - Tests that go

  @Test func aCanceledWaitingTestWithdrawsItsElement() async {
    let test = Task { await sequence.iterator.resume(returning: 1) }
    await Task.yield()
    test.cancel()
    await test.value
    let task = consume()
    await sequence.iterator.resume(returning: 2)
    await sequence.iterator.resume(returning: nil)
    await task.value
    #expect(consumption.text == ["got 2", "done 2", "end"])
  }

  @Test func aCanceledTestDeliversNothing() async {
    let test = Task { await sequence.iterator.resume(returning: 1) }
    test.cancel()
    await test.value
    await sequence.iterator.resume(returning: nil)
    await consume().value
    #expect(consumption.text == ["end"])
  }

  @Test func aTestCanceledDuringItsElementReturns() async {
    let (busy, release) = AsyncStream.makeStream(of: Void.self)
    var test: Task<Void, Never>?
    let task = Task {
      for await number in sequence {
        consumption.note("got \(number)")
        test?.cancel()
        for await _ in busy {}
        consumption.note("done \(number)")
      }
    }
    test = Task { await sequence.iterator.resume(returning: 1) }
    await test?.value
    #expect(consumption.text == ["got 1"])
    release.finish()
    await sequence.iterator.resume(returning: nil)
    await task.value
    #expect(consumption.text == ["got 1", "done 1"])
  }

  // MARK: - Many at once

  @Test func noElementIsLostOrDoubled() async {
    let sequence = sequence
    let consumer = Task { @concurrent in
      var numbers: [Int] = []
      for await number in sequence { numbers.append(number) }
      return numbers
    }
    await withTaskGroup { group in
      for first in stride(from: 0, to: 1_000, by: 100) {
        group.addTask {
          for number in first..<(first + 100) { await sequence.iterator.resume(returning: number) }
        }
      }
    }
    await sequence.iterator.resume(returning: nil)
    let numbers = await consumer.value
    #expect(numbers.sorted() == Array(0..<1_000))
    for first in stride(from: 0, to: 1_000, by: 100) {
      let own = numbers.filter { number in (first..<(first + 100)).contains(number) }
      #expect(own == own.sorted())
    }
  }

  @Test func twoConsumersAtOnceAreAProgrammerError() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let sequence = AsyncSequenceTestDouble<Int>()
      await withTaskGroup { group in
        for _ in 0..<2 {
          group.addTask { for await _ in sequence {} }
        }
      }
    }
    #if DEBUG
    let messages = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(messages.contains("a sequence must have only one consumer at a time"))
    #else
    _ = result
    #endif
  }
}
