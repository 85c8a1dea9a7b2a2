#if canImport(SwiftUI)
public import CounterData
public import ImmutableData
public import ImmutableUI
public import SwiftUI

/// The store that the views of this module read and dispatch to.
public typealias CounterStore = ImmutableData.Store<CounterState, CounterAction>

// SwiftUI reads environment values on the main actor only, as for `ImmutableUI.Selector`.
/// The environment key of the store. Its default traps at the first action: a view without a ``Provider`` is a
/// programmer error.
@MainActor private enum StoreKey: @preconcurrency EnvironmentKey {
  static let defaultValue = CounterStore(initialState: CounterState()) { _, _ in fatalError("missing provider") }
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
