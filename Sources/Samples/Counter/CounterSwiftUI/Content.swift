#if canImport(SwiftUI)
public import CounterData
import CounterUI
public import DebugDrawer
import ImmutableData
public import ImmutableUI
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
    Provider(CounterStore(CounterPreview.usual.makeStore())) { Content() }
    Provider(CounterStore(CounterPreview.refusing.makeStore())) { Content() }
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

/// The store that the views of this module read and dispatch to: a live one, or a `TimeTravelStore`.
public typealias CounterStore = ViewStore<CounterState, CounterAction>

// SwiftUI reads environment values on the main actor only, as for `ImmutableUI.Selector`.
/// The environment key of the store. Its default traps at the first action: a view without a ``Provider`` is a
/// programmer error.
@MainActor private enum StoreKey: @preconcurrency EnvironmentKey {
  static let defaultValue = CounterStore(
    ImmutableData.Store<CounterState, CounterAction>(initialState: CounterState()) { _, _ in
      fatalError("missing provider")
    })
}

extension EnvironmentValues {
  @MainActor var store: CounterStore {
    get { self[StoreKey.self] }
    set { self[StoreKey.self] = newValue }
  }
}

extension Provider where Store == CounterStore {
  /// Creates a view that passes a store to its content.
  public init(_ store: Store, @ViewBuilder content: () -> Content) {
    self.init(\.store, store, content: content)
  }
}

extension PastView where M == CounterModel {
  /// Creates a view that passes the store of a drawer to its content, with the drawer below it.
  public init(_ drawer: HistoryDrawer<CounterModel>, @ViewBuilder content: () -> Content) {
    self.init(\.store, drawer, content: content)
  }
}

extension ImmutableUI.Dispatcher where Store == CounterStore {
  /// Creates a property that dispatches to the store of the view's ``Provider``.
  public init() {
    self.init(\.store)
  }
}

extension ImmutableUI.Selector where Store == CounterStore, repeat each Dependency: Equatable, Output: Equatable {
  /// Creates a property that selects from the store of the view's ``Provider``, with parameters that can change.
  ///
  /// The parameters are those of the initializer that takes a key path.
  public init(
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (CounterState, CounterAction) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (CounterState) -> each Dependency,
    outputSelector: @escaping @Sendable (CounterState) -> Output
  ) {
    self.init(
      \.store, id: id, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
  }

  /// Creates a property that selects from the store of the view's ``Provider``.
  ///
  /// The parameters are those of the initializer that takes a key path.
  public init(
    label: String? = nil,
    filter isIncluded: (@Sendable (CounterState, CounterAction) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (CounterState) -> each Dependency,
    outputSelector: @escaping @Sendable (CounterState) -> Output
  ) {
    self.init(
      \.store, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
  }
}

/// A property of a view that dispatches actions, and no thunks.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4.
@MainActor @propertyWrapper public struct Dispatch: DynamicProperty {
  @ImmutableUI.Dispatcher<CounterStore>() private var dispatcher

  /// Creates the property.
  public init() {}

  /// Dispatches an action. Throws the error of a reducer that rejects it.
  public var wrappedValue: (CounterAction) throws -> Void { dispatcher.dispatch }
}
#endif
