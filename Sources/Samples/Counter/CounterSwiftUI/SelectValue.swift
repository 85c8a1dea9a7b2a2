#if canImport(SwiftUI)
import CounterData
import ImmutableUI
public import SwiftUI

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
#endif
