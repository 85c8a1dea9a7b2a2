public import Foundation

extension Order {
  /// The moment of the first sample: 2026-11-21 09:00:00 UTC. Samples have fixed dates, so that what is made of them is
  /// the same every time.
  public static let previewDate = Date(timeIntervalSinceReferenceDate: 816_944_400)

  /// An order that waits to be picked up.
  public static let preview = sample(11, .ready, [2: 1, 10: 2, 11: 1], "harbour", minute: 11)

  /// Twelve orders, the oldest first: what previews show.
  public static let previewArray = [
    sample(1, .completed, [1: 2, 3: 1], "harbour", minute: 0),
    sample(2, .completed, [6: 3], "harbour", minute: 1),
    sample(3, .ready, [4: 1, 5: 1, 12: 2], "harbour", minute: 2),
    sample(4, .completed, [7: 2], "harbour", minute: 4),
    sample(5, .preparing, [8: 1, 9: 1], "harbour", minute: 5),
    sample(6, .placed, [10: 4], "market", minute: 6),
    sample(7, .preparing, [1: 1, 2: 1, 3: 1, 4: 1], "market", minute: 7),
    sample(8, .placed, [11: 2], "market", minute: 8),
    sample(9, .placed, [3: 2, 7: 1], "market", minute: 9),
    // At the same moment: the id decides.
    sample(10, .placed, [5: 1], "market", minute: 9),
    preview,
    sample(12, .placed, [12: 1, 9: 2], "harbour", minute: 12),
  ]

  private static func sample(
    _ number: Int, _ status: OrderStatus, _ sales: [Donut.ID: Int], _ cityID: City.ID, minute: Double
  ) -> Order {
    Order(
      id: "\(idPrefix)\(number)", status: status, donuts: Donut.all.filter { donut in sales[donut.id] != nil },
      sales: sales, cityID: cityID, creationDate: previewDate + 60 * minute)
  }
}
