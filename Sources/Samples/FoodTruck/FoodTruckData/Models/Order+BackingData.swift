public import Foundation

extension Order {
  /// An order as it is stored: with the ids of its donuts, so that a donut that is edited is never stale in it.
  ///
  /// Selectors join it with the table of donuts.
  public struct BackingData: Hashable, Codable, Sendable, Identifiable {
    /// The id of the order.
    public let id: String
    /// How far it has come.
    public var status: OrderStatus
    /// The ids of what was ordered, each kind once.
    public var donutIDs: [Donut.ID]
    /// How many of each kind were ordered.
    public var sales: [Donut.ID: Int]
    /// Where the truck stood.
    public let cityID: City.ID
    /// When it was placed.
    public let creationDate: Date

    /// Makes what is stored of an order.
    public init(
      id: String, status: OrderStatus, donutIDs: [Donut.ID], sales: [Donut.ID: Int], cityID: City.ID,
      creationDate: Date
    ) {
      self.id = id
      self.status = status
      self.donutIDs = donutIDs
      self.sales = sales
      self.cityID = cityID
      self.creationDate = creationDate
    }

    /// Makes what is stored of an order.
    public init(_ order: Order) {
      self.init(
        id: order.id, status: order.status, donutIDs: order.donuts.map(\.id), sales: order.sales,
        cityID: order.cityID, creationDate: order.creationDate)
    }
  }

  /// Makes an order of what is stored of it.
  ///
  /// - Parameters:
  ///   - stored: What is stored.
  ///   - donut: Returns the donut with an id. Donuts that it does not know vanish from the order.
  init(_ stored: BackingData, donut: (Donut.ID) -> Donut?) {
    self.init(
      id: stored.id, status: stored.status, donuts: stored.donutIDs.compactMap(donut), sales: stored.sales,
      cityID: stored.cityID, creationDate: stored.creationDate)
  }
}
