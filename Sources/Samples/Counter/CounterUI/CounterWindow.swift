import CounterData
import ImmutableData
import TerminalUI

/// One window of the counter: reads the number from its store and hands it to the presenter.
///
/// Every window has a listener of its own; what keeps windows in agreement is the store alone.
@MainActor struct CounterWindow {
  var title: String
  var focus = CounterPresenter.Button.increment
  private let value: SelectValue

  init<Store>(
    _ title: String, store: Store
  ) where Store: ImmutableData.Selector<CounterState> & Streamer<CounterState, CounterAction> & AnyObject {
    self.title = title
    value = SelectValue(store)
  }

  func draw(in canvas: Canvas, hasKeyboard: Bool, isEnabled: Bool = true) {
    CounterPresenter(title: title, value: value.wrappedValue, focus: hasKeyboard ? focus : nil, isEnabled: isEnabled)
      .draw(in: canvas)
  }
}
