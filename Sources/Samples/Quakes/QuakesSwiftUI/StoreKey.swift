#if canImport(SwiftUI)
public import ImmutableData
public import ImmutableUI
public import QuakesData
public import SwiftUI

/// The store that the views of this module read and dispatch to.
public typealias QuakesStore = ImmutableData.Store<QuakesState, QuakesAction>

// SwiftUI reads environment values on the main actor only, as for `ImmutableUI.Selector`.
/// The environment key of the store. Its default traps at the first action: a view without a ``Provider`` is a
/// programmer error.
@MainActor private enum StoreKey: @preconcurrency EnvironmentKey {
  static let defaultValue = QuakesStore(initialState: QuakesState()) { _, _ in fatalError("missing provider") }
}

extension EnvironmentValues {
  @MainActor var store: QuakesStore {
    get { self[StoreKey.self] }
    set { self[StoreKey.self] = newValue }
  }
}

extension Provider where Store == QuakesStore {
  /// Creates a view that passes a store to its content.
  public init(_ store: Store, @ViewBuilder content: () -> Content) {
    self.init(\.store, store, content: content)
  }
}

extension ImmutableUI.Dispatcher where Store == QuakesStore {
  /// Creates a property that dispatches to the store of the view's ``Provider``.
  public init() {
    self.init(\.store)
  }
}

extension ImmutableUI.Selector where Store == QuakesStore, repeat each Dependency: Equatable, Output: Equatable {
  /// Creates a property that selects from the store of the view's ``Provider``, with parameters that can change.
  ///
  /// The parameters are those of the initializer that takes a key path.
  public init(
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (QuakesState, QuakesAction) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (QuakesState) -> each Dependency,
    outputSelector: @escaping @Sendable (QuakesState) -> Output
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
    filter isIncluded: (@Sendable (QuakesState, QuakesAction) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (QuakesState) -> each Dependency,
    outputSelector: @escaping @Sendable (QuakesState) -> Output
  ) {
    self.init(
      \.store, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
  }
}

/// A property of a view that dispatches actions, and no thunks.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor @propertyWrapper public struct Dispatch: DynamicProperty {
  @ImmutableUI.Dispatcher<QuakesStore>() private var dispatcher

  /// Creates the property.
  public init() {}

  /// Dispatches an action. Throws the error of a reducer that rejects it.
  public var wrappedValue: (QuakesAction) throws -> Void { dispatcher.dispatch }
}
#endif
