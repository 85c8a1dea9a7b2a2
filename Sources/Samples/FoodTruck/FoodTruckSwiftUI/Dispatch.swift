#if canImport(SwiftUI)
import ImmutableData
import ImmutableUI
public import FoodTruckData
public import SwiftUI

/// A property of a view that dispatches actions, and no thunks.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide.
@MainActor @propertyWrapper public struct Dispatch: DynamicProperty {
  @ImmutableUI.Dispatcher<FoodTruckStore>() private var dispatcher

  /// Creates the property.
  public init() {}

  /// Dispatches an action. Throws the error of a reducer that rejects it.
  public var wrappedValue: (FoodTruckAction) throws -> Void { dispatcher.dispatch }
}
#endif
