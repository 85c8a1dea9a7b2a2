/// How far an order has come. Orders are sorted by it as the cases stand here.
public enum OrderStatus: String, Hashable, Codable, Sendable, CaseIterable {
  /// The order is in.
  case placed
  /// Somebody works on it.
  case preparing
  /// It waits to be picked up.
  case ready
  /// The customer has it.
  case completed

  /// The status that the status button leads to; `nil` when it leads nowhere.
  ///
  /// Nothing leads to ``ready``: it can only be placed as such.
  public var next: OrderStatus? {
    switch self {
    case .placed: .preparing
    case .preparing: .completed
    case .ready, .completed: nil
    }
  }

  private var rank: Int {
    switch self {
    case .placed: 0
    case .preparing: 1
    case .ready: 2
    case .completed: 3
    }
  }
}

extension OrderStatus: Comparable {
  /// Whether the first status comes before the second one.
  public static func < (lhs: OrderStatus, rhs: OrderStatus) -> Bool { lhs.rank < rhs.rank }
}
