#if canImport(SwiftUI)
public import CounterData
import CounterUI
public import ImmutableUI
public import SwiftUI

/// The counter: its value, two buttons, and the error of a rejected action.
public struct Content: View {
  @SelectValue private var value
  @Dispatch private var dispatch
  @SwiftUI.State private var problem = ""

  /// Creates the view. A ``Provider`` passes it the store.
  public init() {}

  /// The view's content.
  public var body: some View {
    VStack {
      Button("Increment") { send(.didTapIncrementButton) }
      Text("Value: \(value)")
      Button("Decrement") { send(.didTapDecrementButton) }
      Text(problem)
    }
  }

  private func send(_ action: CounterAction) {
    do {
      try dispatch(action)
      problem = ""
    } catch {
      problem = "\(error)"
    }
  }
}

/// The counter, and a counter whose reducer rejects every action.
struct ContentPreviews: PreviewProvider {
  static var previews: some View {
    Provider(CounterStore(CounterPreview.usual.makeStore())) { Content() }
    Provider(CounterStore(CounterPreview.refusing.makeStore())) { Content() }
  }
}

/// The value of the counter.
@MainActor @propertyWrapper struct SelectValue: DynamicProperty {
  @ImmutableUI.Selector<CounterStore, Int>(
    SelectorParameters(label: "SelectValue", outputSelector: CounterState.selectValue()))
  var wrappedValue: Int

  init() {}
}

/// The store that the views of this module read and dispatch to: a live one, or a `TimeTravelStore`.
public typealias CounterStore = ViewStore<CounterState, CounterAction>

extension CounterState: EnvironmentState {
  /// The actions of the store.
  public typealias EnvironmentAction = CounterAction

  /// Creates the state of a view without a ``Provider``.
  public init() { self.init(0) }
}

/// A property of a view that dispatches actions, and no thunks.
public typealias Dispatch = ViewDispatch<CounterState>
#endif
