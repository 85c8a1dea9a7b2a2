#if canImport(SwiftUI)
public import DebugDrawer
import ImmutableData
public import ImmutableUI
public import QuakesData
public import SwiftUI

/// The quakes of a day whose names contain a text, by id.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor @propertyWrapper public struct SelectQuakes: DynamicProperty {
  @ImmutableUI.Selector<QuakesStore, QuakesState.Table<Quake.ID, Quake>>
  private var quakes: QuakesState.Table<Quake.ID, Quake>

  /// Creates the property.
  ///
  /// - Parameters:
  ///   - searchText: The text that the names contain.
  ///   - searchDate: A time of the day.
  public init(searchText: String, searchDate: Date) {
    let search = QuakeSearch(text: searchText, date: searchDate)
    _quakes = ImmutableUI.Selector(
      id: search, label: "SelectQuakes(\(search))", filter: QuakesFilter.filterQuakes(),
      outputSelector: QuakesState.selectQuakes(searchText: searchText, searchDate: searchDate))
  }

  /// The quakes at the last update.
  public var wrappedValue: QuakesState.Table<Quake.ID, Quake> { quakes }
}

/// The quakes of a day whose names contain a text, sorted.
@MainActor @propertyWrapper public struct SelectQuakesValues: DynamicProperty {
  @ImmutableUI.Selector<QuakesStore, QuakesState.Table<Quake.ID, Quake>, [Quake]> private var quakes: [Quake]

  /// Creates the property.
  ///
  /// - Parameters:
  ///   - searchText: The text that the names contain.
  ///   - searchDate: A time of the day.
  ///   - keyPath: The value to sort by.
  ///   - order: The direction.
  public init<Value: Comparable & SendableMetatype>(
    searchText: String, searchDate: Date, sort keyPath: any KeyPath<Quake, Value> & Sendable,
    order: SortOrder = .forward
  ) {
    let search = QuakeSearch(text: searchText, date: searchDate, keyPath: keyPath, order: order)
    _quakes = ImmutableUI.Selector(
      id: search, label: "SelectQuakesValues(\(search))", filter: QuakesFilter.filterQuakes(),
      dependencySelector: QuakesState.selectQuakes(searchText: searchText, searchDate: searchDate),
      outputSelector: QuakesState.selectQuakesValues(
        searchText: searchText, searchDate: searchDate, sort: keyPath, order: order))
  }

  /// The quakes at the last update.
  public var wrappedValue: [Quake] { quakes }
}

/// The id of a selection of quakes: its parameters.
private struct QuakeSearch: Hashable, CustomStringConvertible {
  let text: String
  let date: Date
  var keyPath: AnyKeyPath?
  var order: SortOrder?

  var description: String {
    let sort = keyPath.map { keyPath in ", keyPath: \(keyPath)" } ?? ""
    let direction = order.map { order in ", order: \(order == .forward ? "forward" : "reverse")" } ?? ""
    return "searchText: \"\(text)\", searchDate: \(date)\(sort)\(direction)"
  }
}

/// The number of all quakes.
@MainActor @propertyWrapper public struct SelectQuakesCount: DynamicProperty {
  @ImmutableUI.Selector<QuakesStore, Int>(
    label: "SelectQuakesCount()", outputSelector: QuakesState.selectQuakesCount())
  private var count: Int

  /// Creates the property.
  public init() {}

  /// The number at the last update.
  public var wrappedValue: Int { count }
}

/// The status of fetching the quakes.
@MainActor @propertyWrapper public struct SelectQuakesStatus: DynamicProperty {
  @ImmutableUI.Selector<QuakesStore, Status?>(
    label: "SelectQuakesStatus()", outputSelector: QuakesState.selectQuakesStatus())
  private var status: Status?

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
    _quake = ImmutableUI.Selector(
      id: quakeId, label: "SelectQuake(quakeId: \(quakeId ?? "nil"))",
      outputSelector: QuakesState.selectQuake(quakeId: quakeId))
  }

  /// The quake at the last update; `nil` if there is none.
  public var wrappedValue: Quake? { quake }
}

/// The store that the views of this module read and dispatch to: a live one, or a `TimeTravelStore`.
public typealias QuakesStore = ViewStore<QuakesState, QuakesAction>

// SwiftUI reads environment values on the main actor only, as for `ImmutableUI.Selector`.
/// The environment key of the store. Its default traps at the first action: a view without a ``Provider`` is a
/// programmer error.
@MainActor private enum StoreKey: @preconcurrency EnvironmentKey {
  static let defaultValue = QuakesStore(
    ImmutableData.Store<QuakesState, QuakesAction>(initialState: QuakesState()) { _, _ in fatalError("missing provider")
    })
}

extension EnvironmentValues {
  @MainActor var store: QuakesStore {
    get { self[StoreKey.self] }
    set { self[StoreKey.self] = newValue }
  }
}

extension Provider where Store == QuakesStore {
  /// Creates a view that passes a store to its content.
  public init(_ store: Store, @ViewBuilder content: () -> Content) {
    self.init(\.store, store, content: content)
  }
}

extension PastView where M == QuakesModel {
  /// Creates a view that passes the store of a drawer to its content, with the drawer below it.
  public init(_ drawer: HistoryDrawer<QuakesModel>, @ViewBuilder content: () -> Content) {
    self.init(\.store, drawer, content: content)
  }
}

extension ImmutableUI.Dispatcher where Store == QuakesStore {
  /// Creates a property that dispatches to the store of the view's ``Provider``.
  public init() {
    self.init(\.store)
  }
}

extension ImmutableUI.Selector where Store == QuakesStore, repeat each Dependency: Equatable, Output: Equatable {
  /// Creates a property that selects from the store of the view's ``Provider``, with parameters that can change.
  ///
  /// The parameters are those of the initializer that takes a key path.
  public init(
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (QuakesState, QuakesAction) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (QuakesState) -> each Dependency,
    outputSelector: @escaping @Sendable (QuakesState) -> Output
  ) {
    self.init(
      \.store, id: id, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
  }

  /// Creates a property that selects from the store of the view's ``Provider``.
  ///
  /// The parameters are those of the initializer that takes a key path.
  public init(
    label: String? = nil,
    filter isIncluded: (@Sendable (QuakesState, QuakesAction) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (QuakesState) -> each Dependency,
    outputSelector: @escaping @Sendable (QuakesState) -> Output
  ) {
    self.init(
      \.store, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
  }
}

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
