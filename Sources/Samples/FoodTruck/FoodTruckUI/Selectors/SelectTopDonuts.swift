public import FoodTruckData
import ImmutableUI

/// The donuts that are ordered most, of a city that people choose, kept up to date.
@MainActor
public final class SelectTopDonuts<Source: FoodTruckSource> {
  /// The city; `nil` for all.
  public var cityID: City.ID?

  private let count: Int
  private let selection: Selection<Source, [DonutSales]>

  /// Makes a selector.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - cityID: The city at first; `nil` for all.
  ///   - count: How many donuts at most.
  public init(_ source: Source, cityID: City.ID? = nil, min count: Int = 5) {
    self.cityID = cityID
    self.count = count
    selection = Selection(
      source, id: cityID, label: "SelectTopDonuts(cityID: \(cityID ?? "nil"), min: \(count))",
      filter: FoodTruckFilter.filterSales(),
      outputSelector: OutputSelector(select: FoodTruckState.selectTopDonuts(cityID: cityID, min: count)))
  }

  /// The donuts as they were published last. Reading is observed.
  public var output: [DonutSales] {
    selection.update(
      id: cityID, label: "SelectTopDonuts(cityID: \(cityID ?? "nil"), min: \(count))",
      filter: FoodTruckFilter.filterSales(),
      outputSelector: OutputSelector(select: FoodTruckState.selectTopDonuts(cityID: cityID, min: count)))
    return selection.output
  }
}
