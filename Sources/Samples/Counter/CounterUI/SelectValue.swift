package import CounterData
package import ImmutableData
import ImmutableUI

/// The counter's number, kept up to date, from a live store or from a place in a history.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4.
@MainActor package struct SelectValue {
  private let read: @MainActor () -> Int

  /// Follows a store. Each value made this way has a listener of its own.
  package init<Store>(
    _ store: Store
  ) where Store: ImmutableData.Selector<CounterState> & Streamer<CounterState, CounterAction> & AnyObject {
    let selection = Selection(store, label: "SelectValue", outputSelector: CounterState.selectValue())
    read = { selection.output }
  }

  /// The number as it was published last. Reading it is observed.
  package var wrappedValue: Int { read() }
}
