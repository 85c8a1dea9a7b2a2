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
  ///
  /// - Parameters:
  ///   - keyPath: The environment value that wrappers in the content read.
  ///   - store: The store.
  ///   - content: The views that see the store.
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
  ///
  /// - Parameter keyPath: The environment value that a ``Provider`` sets.
  public init(_ keyPath: KeyPath<EnvironmentValues, Store>) {
    self._store = Environment(keyPath)
  }

  /// What to dispatch with.
  public var wrappedValue: some ImmutableData.Dispatcher<Store.State, Store.Action> {
    store
  }
}
#endif
