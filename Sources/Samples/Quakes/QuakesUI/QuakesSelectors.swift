public import Foundation
public import ImmutableData
public import ImmutableUI
public import QuakesData

/// A store of the quakes, or a position in their history.
public typealias QuakesSource = ImmutableData.Selector<QuakesState> & ImmutableData.Streamer<QuakesState, QuakesAction>
  & AnyObject

/// The function with which screens dispatch actions.
public typealias QuakesDispatch = ActionDispatch<QuakesAction>

/// The quakes of a day whose names contain a text, by id. The selection is updated when the store changes.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuakes<Store: QuakesSource> {
  private let selection: Selection<Store, QuakesState.Table<Quake.ID, Quake>>
  private let calendar: Calendar

  /// Creates a selection.
  ///
  /// - Parameters:
  ///   - store: The store, or a position in a history.
  ///   - searchText: The text that the names contain.
  ///   - searchDate: A time of the day.
  ///   - calendar: The calendar, whose time zone determines when days begin.
  public init(
    _ store: Store, searchText: String, searchDate: Date, calendar: Calendar = .autoupdatingCurrent
  ) {
    let parameters = QuakeSearchParameters(searchText: searchText, searchDate: searchDate)
    self.calendar = calendar
    selection = Selection(
      store, id: parameters, label: "SelectQuakes(\(parameters))", filter: QuakesFilter.filterQuakes(),
      outputSelector: parameters.selectQuakes(calendar))
  }

  /// The quakes.
  public var output: QuakesState.Table<Quake.ID, Quake> { selection.output }

  /// Changes the parameters. This takes effect at the next read.
  public func update(searchText: String, searchDate: Date) {
    let parameters = QuakeSearchParameters(searchText: searchText, searchDate: searchDate)
    selection.update(
      id: parameters, label: "SelectQuakes(\(parameters))", filter: QuakesFilter.filterQuakes(),
      outputSelector: parameters.selectQuakes(calendar))
  }
}

/// The parameters of a selection of quakes, which are its id.
struct QuakeSearchParameters: Hashable, Sendable, CustomStringConvertible {
  let searchText: String
  let searchDate: Date

  var description: String { "searchText: \"\(searchText)\", searchDate: \(searchDate)" }

  func selectQuakes(_ calendar: Calendar) -> @Sendable (QuakesState) -> QuakesState.Table<Quake.ID, Quake> {
    QuakesState.selectQuakes(searchText: searchText, searchDate: searchDate, calendar: calendar)
  }
}

/// The quakes of a list, in its order. They are sorted again only if the matching quakes have changed.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuakesValues<Store: QuakesSource> {
  private let selection: Selection<Store, QuakesState.Table<Quake.ID, Quake>, [Quake]>
  private let calendar: Calendar

  /// Creates a selection.
  ///
  /// - Parameters:
  ///   - store: The store, or a position in a history.
  ///   - options: The search and the order of the list.
  ///   - calendar: The calendar, whose time zone determines when days begin.
  public init(_ store: Store, options: QuakeListOptions, calendar: Calendar = .autoupdatingCurrent) {
    self.calendar = calendar
    selection = Selection(
      store, id: options, label: Self.label(of: options), filter: QuakesFilter.filterQuakes(),
      dependencySelector: options.search.selectQuakes(calendar),
      outputSelector: options.selectQuakesValues(calendar: calendar))
  }

  /// The quakes.
  public var output: [Quake] { selection.output }

  /// Changes the parameters. This takes effect at the next read.
  public func update(options: QuakeListOptions) {
    selection.update(
      id: options, label: Self.label(of: options), filter: QuakesFilter.filterQuakes(),
      dependencySelector: options.search.selectQuakes(calendar),
      outputSelector: options.selectQuakesValues(calendar: calendar))
  }

  private static func label(of options: QuakeListOptions) -> String {
    let order = options.sortOrder == .forward ? "forward" : "reverse"
    return "SelectQuakesValues(\(options.search), keyPath: \\Quake.\(options.sortParameter.rawValue), order: \(order))"
  }
}

extension QuakeListOptions {
  fileprivate var search: QuakeSearchParameters {
    QuakeSearchParameters(searchText: searchText, searchDate: searchDate)
  }
}

/// The number of all quakes. The selection is updated when the store changes.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuakesCount<Store: QuakesSource> {
  private let selection: Selection<Store, Int>

  /// Creates a selection.
  public init(_ store: Store) {
    selection = Selection(
      store, label: "SelectQuakesCount()", outputSelector: QuakesState.selectQuakesCount())
  }

  /// The number at the last update.
  public var output: Int { selection.output }
}

/// The status of fetching. The selection is updated when the store changes.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuakesStatus<Store: QuakesSource> {
  private let selection: Selection<Store, Status?>

  /// Creates a selection.
  public init(_ store: Store) {
    selection = Selection(
      store, label: "SelectQuakesStatus()", outputSelector: QuakesState.selectQuakesStatus())
  }

  /// The status; `nil` before the first fetch.
  public var output: Status? { selection.output }
}

/// One quake. The selection is updated when the store changes.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuake<Store: QuakesSource> {
  private let selection: Selection<Store, Quake?>

  /// Creates a selection.
  ///
  /// - Parameters:
  ///   - store: The store, or a position in a history.
  ///   - quakeId: The quake's id; `nil` selects none.
  public init(_ store: Store, quakeId: Quake.ID?) {
    selection = Selection(
      store, id: quakeId, label: Self.label(of: quakeId), outputSelector: QuakesState.selectQuake(quakeId: quakeId))
  }

  /// The quake; `nil` if there is none with the id.
  public var output: Quake? { selection.output }

  /// Changes the id. This takes effect at the next read.
  public func update(quakeId: Quake.ID?) {
    selection.update(
      id: quakeId, label: Self.label(of: quakeId), outputSelector: QuakesState.selectQuake(quakeId: quakeId))
  }

  private static func label(of quakeId: Quake.ID?) -> String { "SelectQuake(quakeId: \(quakeId ?? "nil"))" }
}

/// Creates a store with the eight sample quakes, by dispatching the answer of a local store.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12 (`PreviewStore`).
public enum PreviewStore {
  /// Creates the store.
  ///
  /// - Throws: The reducer's error. It accepts this action.
  @MainActor public static func make() throws -> Store<QuakesState, QuakesAction> {
    let store = Store(initialState: QuakesState(), reducer: QuakesReducer.reduce)
    try store.dispatch(
      action: .data(
        .persistentSession(.localStore(.didFetchQuakes(result: .success(quakes: Quake.previewQuakes))))))
    return store
  }
}
