public import Foundation
public import ImmutableData
public import ImmutableUI
public import QuakesData

/// What screens read: a live store of the quakes, or a place in their history.
public typealias QuakesSource = ImmutableData.Selector<QuakesState> & ImmutableData.Streamer<QuakesState, QuakesAction>
  & AnyObject

/// What screens are given to say what happened.
public typealias QuakesDispatch = ActionDispatch<QuakesAction>

/// The quakes of a day whose names contain a text, by id, kept up to date.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuakes<Store: QuakesSource> {
  private let selection: Selection<Store, QuakesState.Table<Quake.ID, Quake>>
  private let calendar: Calendar

  /// Makes a selection.
  ///
  /// - Parameters:
  ///   - store: What to read.
  ///   - searchText: What the names contain.
  ///   - searchDate: A moment of the day.
  ///   - calendar: Decides, with its time zone, when days begin.
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

  /// Selects others. It takes effect at the next read.
  public func update(searchText: String, searchDate: Date) {
    let parameters = QuakeSearchParameters(searchText: searchText, searchDate: searchDate)
    selection.update(
      id: parameters, label: "SelectQuakes(\(parameters))", filter: QuakesFilter.filterQuakes(),
      outputSelector: parameters.selectQuakes(calendar))
  }
}

/// What a selection of quakes depends on: its id.
struct QuakeSearchParameters: Hashable, Sendable, CustomStringConvertible {
  let searchText: String
  let searchDate: Date

  var description: String { "searchText: \"\(searchText)\", searchDate: \(searchDate)" }

  func selectQuakes(_ calendar: Calendar) -> @Sendable (QuakesState) -> QuakesState.Table<Quake.ID, Quake> {
    QuakesState.selectQuakes(searchText: searchText, searchDate: searchDate, calendar: calendar)
  }
}

/// The quakes that a list shows, in its order, kept up to date: they are sorted again only when the quakes that are
/// searched for have changed.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuakesValues<Store: QuakesSource> {
  private let selection: Selection<Store, QuakesState.Table<Quake.ID, Quake>, [Quake]>
  private let calendar: Calendar

  /// Makes a selection.
  ///
  /// - Parameters:
  ///   - store: What to read.
  ///   - options: What the list shows, and in which order.
  ///   - calendar: Decides, with its time zone, when days begin.
  public init(_ store: Store, options: QuakeListOptions, calendar: Calendar = .autoupdatingCurrent) {
    self.calendar = calendar
    selection = Selection(
      store, id: options, label: Self.label(of: options), filter: QuakesFilter.filterQuakes(),
      dependencySelector: options.search.selectQuakes(calendar),
      outputSelector: options.selectQuakesValues(calendar: calendar))
  }

  /// The quakes.
  public var output: [Quake] { selection.output }

  /// Selects others. It takes effect at the next read.
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

/// How many quakes there are, whatever is searched for, kept up to date.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuakesCount<Store: QuakesSource> {
  private let selection: Selection<Store, Int>

  /// Makes a selection.
  public init(_ store: Store) {
    selection = Selection(
      store, label: "SelectQuakesCount()", outputSelector: QuakesState.selectQuakesCount())
  }

  /// The number.
  public var output: Int { selection.output }
}

/// How far fetching has come, kept up to date.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuakesStatus<Store: QuakesSource> {
  private let selection: Selection<Store, Status?>

  /// Makes a selection.
  public init(_ store: Store) {
    selection = Selection(
      store, label: "SelectQuakesStatus()", outputSelector: QuakesState.selectQuakesStatus())
  }

  /// The status; `nil` before anything was asked for.
  public var output: Status? { selection.output }
}

/// One quake, kept up to date.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuake<Store: QuakesSource> {
  private let selection: Selection<Store, Quake?>

  /// Makes a selection.
  ///
  /// - Parameters:
  ///   - store: What to read.
  ///   - quakeId: The quake's id; `nil` selects none.
  public init(_ store: Store, quakeId: Quake.ID?) {
    selection = Selection(
      store, id: quakeId, label: Self.label(of: quakeId), outputSelector: QuakesState.selectQuake(quakeId: quakeId))
  }

  /// The quake; `nil` when there is none with the id.
  public var output: Quake? { selection.output }

  /// Selects another one. It takes effect at the next read.
  public func update(quakeId: Quake.ID?) {
    selection.update(
      id: quakeId, label: Self.label(of: quakeId), outputSelector: QuakesState.selectQuake(quakeId: quakeId))
  }

  private static func label(of quakeId: Quake.ID?) -> String { "SelectQuake(quakeId: \(quakeId ?? "nil"))" }
}

/// A store that holds the eight sample quakes, brought there by the action that a local store's answer is.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12 (`PreviewStore`).
public enum PreviewStore {
  /// Makes the store.
  ///
  /// - Throws: What the reducer throws; it refuses none of the actions.
  @MainActor public static func make() throws -> Store<QuakesState, QuakesAction> {
    let store = Store(initialState: QuakesState(), reducer: QuakesReducer.reduce)
    try store.dispatch(
      action: .data(
        .persistentSession(.localStore(.didFetchQuakes(result: .success(quakes: Quake.previewQuakes))))))
    return store
  }
}
