internal import JSONCoding
internal import Platform

/// An action on its way into a line: the string of its type, and behind it its values, in memory that is used again.
///
/// It knows nothing of the action's type, so that nothing here is generic.
struct ActionText: ~Copyable, Sendable {
  var writer = DirectWriter(capacity: 1_024)
  /// How many bytes the string of the type has.
  var typeSize = 0

  /// Puts what it holds into the queue of a writer as a unit.
  ///
  /// - Parameter previous: A unit that this one must stand behind; when it was rejected, so is this one.
  /// - Returns: `nil` when there is no room.
  func take(
    into log: LogWriter, meta: [UInt8]?, time: LogTime?, following previous: LogTicket? = nil, haste: Haste
  ) throws(LogError) -> LogTicket? {
    try writer.withUnsafeBytes { (text) throws(LogError) in
      let type = UnsafeRawBufferPointer(rebasing: text[..<typeSize])
      let data = UnsafeRawBufferPointer(rebasing: text[typeSize...])
      let size = text.count + (meta?.count ?? 0) + LogFormat.envelopeLimitBytes
      return try log.takeUnlessFull(following: previous, haste: haste) { (queue) throws(LogError) in
        if queue.isFull(for: size) { return false }
        let time = time ?? log.environment.now()
        guard let meta else {
          try queue.add(type: type, data: data, meta: nil, time: time)
          return true
        }
        try meta.withUnsafeBufferPointer { (meta) throws(LogError) in
          try queue.add(type: type, data: data, meta: UnsafeRawBufferPointer(meta), time: time)
        }
        return true
      }
    }
  }
}
