#if canImport(SwiftUI)
import ImmutableData
import ImmutableUI
public import AnimalsData
public import SwiftUI

/// A property of a view that dispatches actions, and no thunks.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8.
@MainActor @propertyWrapper public struct Dispatch: DynamicProperty {
  @ImmutableUI.Dispatcher<AnimalsStore>() private var dispatcher

  /// Creates the property.
  public init() {}

  /// Dispatches an action. Throws the error of a reducer that rejects it.
  public var wrappedValue: (AnimalsAction) throws -> Void { dispatcher.dispatch }
}
#endif
