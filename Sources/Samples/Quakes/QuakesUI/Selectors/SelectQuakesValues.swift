public import Foundation
import ImmutableUI
public import QuakesData

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
