/// A place at the end of a line, to which the writer can say how far it got and to which it can go back.
struct WriterPosition: Equatable, Sendable {
  /// The last revision.
  var seq: Int
  /// The checksum of the last line.
  var crc: UInt32
  /// The first `seq` of the segment, which is its name.
  var segment: Int
  /// The length of the segment.
  var bytes: Int
  /// Whether the segment holds an action, so that it can be rolled.
  var holdsAction: Bool
  /// The schema in force for the next action.
  var schema: Int
  /// The last unit of drafts.
  var ordinal = 0
}
