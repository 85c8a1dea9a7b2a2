public import Foundation
import ImmutableUI
public import QuakesData

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
