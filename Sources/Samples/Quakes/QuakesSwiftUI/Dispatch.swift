#if canImport(SwiftUI)
import ImmutableData
import ImmutableUI
public import QuakesData
public import SwiftUI

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
