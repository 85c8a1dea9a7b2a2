import ImmutableData
import Platform
import TestSupport

/// The elements that a consumer has received: each as `before+number`, and `end` at the end of the stream.
final class Consumption: Sendable {
  private let received = Locked<[String]>([])

  var text: [String] { received.withLock { received in received } }

  func note(_ text: String) {
    received.withLock { received in received.append(text) }
  }

  func note(_ element: (oldState: Tally, action: TallyAction)) {
    switch element.action {
    case .add(let number): note("\(element.oldState.total)+\(number)")
    }
  }
}

typealias TallyStream = ActionStream<(oldState: Tally, action: TallyAction)>

/// Starts the only consumer of a stream. It runs when the executor runs it, and yields after each element.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
nonisolated func consume(
  _ stream: TallyStream, on executor: StepExecutor, into consumption: Consumption, label: String = ""
) -> Task<Void, Never> {
  Task(executorPreference: executor) {
    for await element in stream {
      if label.isEmpty { consumption.note(element) } else { consumption.note("\(label) \(element.action)") }
      await Task.yield()
    }
    consumption.note(label.isEmpty ? "end" : "\(label) end")
  }
}

/// Returns the remaining elements of a stream, until it ends.
@MainActor func rest(of stream: TallyStream) async -> [String] {
  let consumption = Consumption()
  for await element in stream { consumption.note(element) }
  return consumption.text
}
