#if canImport(SwiftUI)
public import ImmutableUI
public import QuakesData
import QuakesUI
public import SwiftUI

/// The quakes of a day whose names contain a text, by id.
@MainActor @propertyWrapper public struct SelectQuakes: DynamicProperty {
  @ImmutableUI.Selector<QuakesStore, QuakesState.Table<Quake.ID, Quake>>
  private var quakes: QuakesState.Table<Quake.ID, Quake>

  /// Creates the property.
  public init(searchText: String, searchDate: Date) {
    _quakes = ImmutableUI.Selector(QuakesQuery.quakes(searchText: searchText, searchDate: searchDate))
  }

  /// The quakes at the last update.
  public var wrappedValue: QuakesState.Table<Quake.ID, Quake> { quakes }
}

/// The quakes of a day whose names contain a text, sorted.
@MainActor @propertyWrapper public struct SelectQuakesValues: DynamicProperty {
  @ImmutableUI.Selector<QuakesStore, QuakesState.Table<Quake.ID, Quake>, [Quake]> private var quakes: [Quake]

  /// Creates the property.
  public init<Value: Comparable & SendableMetatype>(
    searchText: String, searchDate: Date, sort keyPath: any KeyPath<Quake, Value> & Sendable,
    order: SortOrder = .forward
  ) {
    _quakes = ImmutableUI.Selector(
      QuakesQuery.values(searchText: searchText, searchDate: searchDate, sort: keyPath, order: order))
  }

  /// The quakes at the last update.
  public var wrappedValue: [Quake] { quakes }
}

/// The number of all quakes.
@MainActor @propertyWrapper public struct SelectQuakesCount: DynamicProperty {
  @ImmutableUI.Selector(QuakesQuery.count) private var count: Int

  /// Creates the property.
  public init() {}

  /// The number at the last update.
  public var wrappedValue: Int { count }
}

/// The status of fetching the quakes.
@MainActor @propertyWrapper public struct SelectQuakesStatus: DynamicProperty {
  @ImmutableUI.Selector(QuakesQuery.status) private var status: Status?

  /// Creates the property.
  public init() {}

  /// The status at the last update; `nil` before the first fetch.
  public var wrappedValue: Status? { status }
}

/// One quake.
@MainActor @propertyWrapper public struct SelectQuake: DynamicProperty {
  @ImmutableUI.Selector<QuakesStore, Quake?> private var quake: Quake?

  /// Creates a property for the quake with an id; `nil` selects none.
  public init(quakeId: Quake.ID?) {
    _quake = ImmutableUI.Selector(QuakesQuery.quake(quakeId: quakeId))
  }

  /// The quake at the last update; `nil` if there is none.
  public var wrappedValue: Quake? { quake }
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
