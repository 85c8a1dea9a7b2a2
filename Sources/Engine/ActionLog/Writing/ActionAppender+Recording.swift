internal import JSONCoding

// What a recorder needs beyond the public interface: to encode first and to append later, perhaps more than once, and to stand
// behind a unit that must not be rejected.
extension ActionAppender {
  /// Encodes an action, to be appended next.
  ///
  /// - Returns: `nil` if it keeps the limits of the format; else its form, which is to be checked.
  /// - Throws: The error of the action's own `encode(to:)`.
  /// - Complexity: O(size of the action).
  package mutating func encode(_ action: borrowing Action) throws -> ActionForm? {
    text.writer.truncate(to: 0)
    let (typeSize, form) = try coder.append(action, to: &text.writer)
    text.typeSize = typeSize
    return form
  }

  /// The bytes of type and data that were encoded last.
  package var encodedBytes: Int { text.writer.count }

  /// Puts what was encoded last into the queue as a unit, which is written with those that come soon.
  ///
  /// - Parameters:
  ///   - meta: A JSON object of remarks that was checked.
  ///   - previous: A unit that this one must stand behind; when it was rejected, so is this one.
  /// - Returns: `nil` when there is no room.
  /// - Throws: As ``LogWriter/enqueue(_:)``.
  /// - Complexity: O(bytes).
  package mutating func offerEncoded(
    meta: [UInt8]?, following previous: LogTicket?
  ) throws(LogError) -> LogTicket? {
    try text.take(into: writer, meta: meta, time: nil, following: previous, haste: .whenWorthwhile)
  }
}
