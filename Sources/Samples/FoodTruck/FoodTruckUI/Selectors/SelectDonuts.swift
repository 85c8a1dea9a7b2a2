public import FoodTruckData
import ImmutableUI

/// The donuts of the gallery with their sales, kept up to date.
@MainActor
public final class SelectDonuts<Source: FoodTruckSource> {
  private struct Query: Hashable, Sendable {
    var searchText = ""
    var sort = DonutSort.menu

    var label: String { "SelectDonuts(searchText: \"\(searchText)\", sort: \(sort.rawValue))" }

    var selector: OutputSelector<FoodTruckState, [DonutSales]> {
      OutputSelector(select: FoodTruckState.selectDonutSales(searchText: searchText, sort: sort))
    }
  }

  private let selection: Selection<Source, [DonutSales]>

  /// Selects all donuts.
  ///
  /// - Parameter source: The store, or a position in a history.
  public init(_ source: Source) {
    let query = Query()
    selection = Selection(
      source, id: query, label: query.label, filter: FoodTruckFilter.filterSales(), outputSelector: query.selector)
  }

  /// The donuts as they were published last. Reading is observed.
  ///
  /// - Parameters:
  ///   - searchText: The text that their names contain.
  ///   - sort: Their order.
  public func output(searchText: String, sort: DonutSort) -> [DonutSales] {
    let query = Query(searchText: searchText, sort: sort)
    selection.update(
      id: query, label: query.label, filter: FoodTruckFilter.filterSales(), outputSelector: query.selector)
    return selection.output
  }
}
