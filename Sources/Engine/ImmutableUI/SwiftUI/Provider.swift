#if canImport(SwiftUI)
public import ImmutableData
public import SwiftUI

/// A view that gives its content a store, through the environment.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 2; "Provider" in React Redux.
@MainActor public struct Provider<Store, Content: View>: View {
  private let keyPath: WritableKeyPath<EnvironmentValues, Store>
  private let store: Store
  private let content: Content

  /// Makes a provider.
  public init(
    _ keyPath: WritableKeyPath<EnvironmentValues, Store>,
    _ store: Store,
    @ViewBuilder content: () -> Content
  ) {
    self.keyPath = keyPath
    self.store = store
    self.content = content()
  }

  /// The content, with the store in its environment.
  public var body: some View {
    content.environment(keyPath, store)
  }
}

/// A property of a view through which it dispatches to the store of its environment.
///
/// The value is opaque: the view learns nothing more about the store than that it can be dispatched to.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 2; `useDispatch` in React Redux.
@MainActor @propertyWrapper public struct Dispatcher<Store: ImmutableData.Dispatcher>: DynamicProperty {
  @Environment private var store: Store

  /// Makes the property.
  public init(_ keyPath: KeyPath<EnvironmentValues, Store>) {
    self._store = Environment(keyPath)
  }

  /// What to dispatch with.
  public var wrappedValue: some ImmutableData.Dispatcher<Store.State, Store.Action> {
    store
  }
}

/// A state whose store the views of an app find in their environment without a key path.
///
/// ```swift
/// extension CounterState: EnvironmentState {
///   public typealias EnvironmentAction = CounterAction
/// }
/// ```
@MainActor public protocol EnvironmentState: Sendable {
  /// The actions of the store.
  associatedtype EnvironmentAction: Sendable

  /// Creates the state of the store of a view without a ``Provider``.
  nonisolated init()
}

extension EnvironmentState {
  /// The environment value of the store.
  package static var storeKeyPath: WritableKeyPath<EnvironmentValues, ViewStore<Self, EnvironmentAction>> {
    \.[StoreKey<Self>()]
  }
}

// SwiftUI reads environment values on the main actor only, as for `Selector`.
/// The environment key of a store. Its default traps at the first action: a view without a ``Provider`` is a programmer error.
@MainActor private struct StoreKey<State: EnvironmentState>: @preconcurrency EnvironmentKey, Hashable {
  static var defaultValue: ViewStore<State, State.EnvironmentAction> {
    ViewStore(
      ImmutableData.Store<State, State.EnvironmentAction>(initialState: State()) { _, _ in
        fatalError("missing provider")
      })
  }
}

extension EnvironmentValues {
  @MainActor
  fileprivate subscript<State: EnvironmentState>(
    key: StoreKey<State>
  ) -> ViewStore<State, State.EnvironmentAction> {
    get { self[StoreKey<State>.self] }
    set { self[StoreKey<State>.self] = newValue }
  }
}

extension Provider {
  /// Creates a view that passes a store to its content, which reads it without a key path.
  public init<State: EnvironmentState>(
    _ store: Store, @ViewBuilder content: () -> Content
  ) where Store == ViewStore<State, State.EnvironmentAction> {
    self.init(State.storeKeyPath, store, content: content)
  }
}

/// A property of a view that dispatches actions, and no thunks, to the store of a state.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4 (`Dispatch`).
@MainActor @propertyWrapper public struct ViewDispatch<State: EnvironmentState>: DynamicProperty {
  @Environment private var store: ViewStore<State, State.EnvironmentAction>

  /// Creates the property.
  public init() {
    _store = Environment(State.storeKeyPath)
  }

  /// Dispatches an action. Throws the error of a reducer that rejects it.
  public var wrappedValue: (State.EnvironmentAction) throws -> Void { store.dispatch }
}
#endif
