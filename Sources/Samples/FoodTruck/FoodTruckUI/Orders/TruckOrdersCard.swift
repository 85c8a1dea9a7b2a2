import FoodTruckData
import Foundation

/// The card of the newest orders.
@MainActor
public struct TruckOrdersCard<Source: FoodTruckSource> {
  private let selectOrders: SelectOrdersValues<Source>

  /// Makes a card.
  ///
  /// - Parameter source: What is read.
  public init(_ source: Source) {
    selectOrders = SelectOrdersValues(
      source, min: TruckOrdersCardRules.count, using: KeyPathComparator(\Order.creationDate, order: .reverse))
  }

  /// What is shown at this moment. Reading is observed.
  public var rules: TruckOrdersCardRules { TruckOrdersCardRules(selectOrders.output) }
}
