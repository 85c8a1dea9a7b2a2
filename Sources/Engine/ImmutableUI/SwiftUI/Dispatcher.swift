#if canImport(SwiftUI)
public import ImmutableData
public import SwiftUI

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
