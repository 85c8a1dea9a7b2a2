package import ImmutableData
import Observation

/// Computes an output from a store's state, caches it, and notifies observers of changes.
///
/// The elements of the stream determine only *when* to update. Everything but the filter reads the current state, so a listener
/// publishes the latest state, not every state.
///
/// The guide's type is internal; here it is `package`, so that its tests need no testable import.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 2.
@MainActor
package final class AsyncListener<
  State: Sendable, Action: Sendable, each Dependency: Sendable, Output: Sendable
> {
  private let label: String?
  private let filter: (@Sendable (State, Action) -> Bool)?
  private let dependencySelector: (repeat DependencySelector<State, each Dependency>)
  private let outputSelector: OutputSelector<State, Output>

  private var oldDependency: (repeat each Dependency)?
  private var oldOutput: Output?
  private let storage = Storage<Output>()
  private let debugOutput = DebugOutput.current

  /// Creates a listener without an output.
  ///
  /// - Parameters:
  ///   - label: A name for debug output; `nil` for none.
  ///   - isIncluded: Whether an action can change the output, given the state before it; `nil` if any action can.
  ///   - dependencySelector: The values that the output is computed from; none to compute it at each update.
  ///   - outputSelector: The output.
  package init(
    label: String? = nil,
    filter isIncluded: (@Sendable (State, Action) -> Bool)? = nil,
    dependencySelector: repeat DependencySelector<State, each Dependency>,
    outputSelector: OutputSelector<State, Output>
  ) {
    self.label = label
    self.filter = isIncluded
    self.dependencySelector = (repeat each dependencySelector)
    self.outputSelector = outputSelector
  }

  /// The last published output. Reading it is observed (`Observation`).
  ///
  /// - Precondition: ``update(with:)`` was called.
  package var output: Output {
    guard let output = storage.output else { fatalError("missing output") }
    return output
  }

  /// Computes the output from the current state, unless no dependency changed.
  package func update(with store: some ImmutableData.Selector<State>) {
    debugOutput.note("Update", label: label, of: self)
    if isEmpty(repeat each dependencySelector) || updateDependency(with: store) {
      updateOutput(with: store)
    }
  }

  /// Updates for each element of a stream that the filter includes, until the stream ends.
  ///
  /// - Throws: The error of the stream.
  package func listen<Stream: AsyncSequence & Sendable>(
    to stream: Stream,
    with store: some ImmutableData.Selector<State>
  ) async throws where Stream.Element == (oldState: State, action: Action) {
    if let filter {
      for try await _ in stream.filter({ element in filter(element.oldState, element.action) }) {
        update(with: store)
      }
    } else {
      for try await _ in stream {
        update(with: store)
      }
    }
  }
}

extension AsyncListener {
  /// Selects all dependencies and keeps them.
  ///
  /// - Returns: Whether the output must be computed.
  private func updateDependency(with store: some ImmutableData.Selector<State>) -> Bool {
    debugOutput.note("Update Dependency", label: label, of: self)
    let dependency = store.selectMany(repeat (each dependencySelector).select)
    defer { oldDependency = dependency }
    guard let oldDependency else { return true }
    return didChange(
      repeat (each dependencySelector).didChange, lhs: repeat each oldDependency, rhs: repeat each dependency)
  }

  /// Computes the output, and publishes it if it differs from the last computed one.
  private func updateOutput(with store: some ImmutableData.Selector<State>) {
    debugOutput.note("Update Output", label: label, of: self)
    let output = store.select(outputSelector.select)
    defer { oldOutput = output }
    if let oldOutput, !outputSelector.didChange(oldOutput, output) { return }
    storage.output = output
  }
}

/// The observed part of a listener. It is a class of its own because a class with a parameter pack could not be `@Observable` when
/// the guide was written, and because observers need only this part.
@MainActor @Observable private final class Storage<Output> {
  var output: Output?
}
