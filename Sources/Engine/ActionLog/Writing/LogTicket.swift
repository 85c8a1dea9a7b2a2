/// A place in a writer's queue.
///
/// It is worth something only to the writer that gave it out.
public struct LogTicket: Sendable, Hashable {
  /// The revision that the last of the drafts has if they are not rejected.
  public let seq: Int
  /// How often the writer had rejected something before: after a rejection the same `seq` is given out again.
  public let generation: Int
  /// How many units the writer had taken, this one included. Never given out again.
  package let ordinal: Int

  package init(seq: Int, generation: Int, ordinal: Int) {
    self.seq = seq
    self.generation = generation
    self.ordinal = ordinal
  }
}
