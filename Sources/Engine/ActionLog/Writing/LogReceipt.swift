/// What an append returns: how far the log goes, and how safe that is.
public struct LogReceipt: Sendable, Hashable {
  /// The revision of the last action that the receipt covers.
  public var seq: Int
  /// The level that was reached.
  public var durability: Durability

  /// Makes a receipt from its parts.
  public init(seq: Int, durability: Durability) {
    self.seq = seq
    self.durability = durability
  }
}
