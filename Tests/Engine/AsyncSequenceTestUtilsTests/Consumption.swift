import AsyncSequenceTestUtils
import Platform
import TestSupport

/// A journal of the steps of consumers and tests, in order.
final class Consumption: Sendable {
  private let notes = Locked<[String]>([])

  var text: [String] { notes.withLock { notes in notes } }

  func note(_ text: String) {
    notes.withLock { notes in notes.append(text) }
  }

  /// Whether both steps were noted, the first one before the second.
  func isOrdered(_ first: String, _ second: String) -> Bool {
    guard let first = text.firstIndex(of: first), let second = text.firstIndex(of: second) else { return false }
    return first < second
  }
}

extension AsyncSequenceTestDoubleTests {
  /// Starts a consumer on the main actor that yields several times with each element.
  func consume() -> Task<Void, Never> {
    Task { await Self.consume(sequence, into: consumption) }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  nonisolated static func consume(
    _ sequence: AsyncSequenceTestDouble<Int>, on executor: StepExecutor, into consumption: Consumption
  ) -> Task<Void, Never> {
    Task(executorPreference: executor) { await consume(sequence, into: consumption) }
  }

  /// Starts a test that delivers numbers.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  nonisolated static func resume(
    _ sequence: AsyncSequenceTestDouble<Int>, with numbers: [Int?], on executor: StepExecutor,
    into consumption: Consumption
  ) -> Task<Void, Never> {
    Task(executorPreference: executor) {
      for number in numbers {
        await sequence.iterator.resume(returning: number)
        consumption.note("resumed \(number.map(String.init) ?? "end")")
      }
    }
  }

  nonisolated(nonsending) private static func consume(
    _ sequence: AsyncSequenceTestDouble<Int>, into consumption: Consumption
  ) async {
    for await number in sequence {
      consumption.note("got \(number)")
      for _ in 0..<3 { await Task.yield() }
      consumption.note("done \(number)")
    }
    consumption.note("end")
  }
}
