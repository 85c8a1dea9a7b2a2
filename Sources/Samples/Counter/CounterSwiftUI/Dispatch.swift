#if canImport(SwiftUI)
import ImmutableData
import ImmutableUI
public import CounterData
public import SwiftUI

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
