#if canImport(SwiftUI)
public import ImmutableUI
public import QuakesData
import QuakesUI
import SwiftUI

/// The quakes of a day whose names contain a text, sorted.
@MainActor @propertyWrapper struct SelectQuakesValues: DynamicProperty {
  @ImmutableUI.Selector<QuakesStore, QuakesQuery.Table, [Quake]> var wrappedValue: [Quake]

  init<Value: Comparable & SendableMetatype>(
    searchText: String, searchDate: Date, sort keyPath: any KeyPath<Quake, Value> & Sendable,
    order: SortOrder = .forward
  ) {
    _wrappedValue = ImmutableUI.Selector(
      QuakesQuery.values(searchText: searchText, searchDate: searchDate, sort: keyPath, order: order))
  }
}

/// The number of all quakes.
@MainActor @propertyWrapper struct SelectQuakesCount: DynamicProperty {
  @ImmutableUI.Selector(QuakesQuery.count) var wrappedValue: Int

  init() {}
}

/// One quake, by its id; `nil` selects none.
@MainActor @propertyWrapper struct SelectQuake: DynamicProperty {
  @ImmutableUI.Selector<QuakesStore, Quake?> var wrappedValue: Quake?

  init(quakeId: Quake.ID?) {
    _wrappedValue = ImmutableUI.Selector(QuakesQuery.quake(quakeId: quakeId))
  }
}

/// The store that the views of this module read and dispatch to: a live one, or a `TimeTravelStore`.
public typealias QuakesStore = ViewStore<QuakesState, QuakesAction>

extension QuakesState: EnvironmentState {
  /// The actions of the store.
  public typealias EnvironmentAction = QuakesAction
}

/// A property of a view that dispatches actions, and no thunks.
public typealias Dispatch = ViewDispatch<QuakesState>
#endif
