#if canImport(SwiftUI)
import CounterData
import CounterUI
import ImmutableUI
public import SwiftUI

/// The counter: its value, two buttons, and the error of a rejected action.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4.
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
    Provider(CounterPreview.usual.makeStore()) { Content() }
    Provider(CounterPreview.refusing.makeStore()) { Content() }
  }
}

/// The value of the counter.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4.
@MainActor @propertyWrapper public struct SelectValue: DynamicProperty {
  @ImmutableUI.Selector<CounterStore, Int>(label: "SelectValue", outputSelector: CounterState.selectValue())
  private var value: Int

  /// Creates the property.
  public init() {}

  /// The value at the last update.
  public var wrappedValue: Int { value }
}
#endif
