package import ImmutableData
import Observation

/// Computes an output from a store's state, caches it, and notifies observers of changes.
///
/// The elements of the stream determine only *when* to update. Everything but the filter reads the current state, so a listener
/// publishes the latest state, not every state.
///
/// The guide's type is internal; here it is `package`, so that its tests need no testable import.
@MainActor
package final class AsyncListener<
  State: Sendable, Action: Sendable, each Dependency: Sendable, Output: Sendable
> {
  private let parameters: SelectorParameters<State, Action, repeat each Dependency, Output>

  private var oldDependency: (repeat each Dependency)?
  private var oldOutput: Output?
  private let storage = Storage<Output>()
  private let debugOutput = DebugOutput.current

  package init(_ parameters: SelectorParameters<State, Action, repeat each Dependency, Output>) {
    self.parameters = parameters
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
    debugOutput.note("Update", label: parameters.label, of: self)
    if isEmpty(repeat each parameters.dependencySelector) || updateDependency(with: store) {
      updateOutput(with: store)
    }
  }

  /// Updates for each element of a stream that the filter includes, until the stream ends.
  package func listen<Stream: AsyncSequence & Sendable>(
    to stream: Stream,
    with store: some ImmutableData.Selector<State>
  ) async throws where Stream.Element == (oldState: State, action: Action) {
    if let filter = parameters.filter {
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
  private func updateDependency(with store: some ImmutableData.Selector<State>) -> Bool {
    debugOutput.note("Update Dependency", label: parameters.label, of: self)
    let dependency = store.selectMany(repeat (each parameters.dependencySelector).select)
    defer { oldDependency = dependency }
    guard let oldDependency else { return true }
    return didChange(
      repeat (each parameters.dependencySelector).didChange, lhs: repeat each oldDependency, rhs: repeat each dependency
    )
  }

  private func updateOutput(with store: some ImmutableData.Selector<State>) {
    debugOutput.note("Update Output", label: parameters.label, of: self)
    let output = store.select(parameters.outputSelector.select)
    defer { oldOutput = output }
    if let oldOutput, !parameters.outputSelector.didChange(oldOutput, output) { return }
    storage.output = output
  }
}

/// The observed part of a listener. It is a class of its own because a class with a parameter pack could not be `@Observable` when
/// the guide was written, and because observers need only this part.
@MainActor @Observable private final class Storage<Output> {
  var output: Output?
}
