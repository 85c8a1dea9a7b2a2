internal import JSONCoding
internal import Platform

/// Appends the actions of one type, for a thread of one's own: the fastest way into a log.
///
/// ```swift
/// var appender = ActionAppender<CounterAction>(writer)
/// for action in actions { ticket = try appender.append(action) }
/// try writer.sync()
/// ```
///
/// How the type is encoded is looked up once, and an action becomes a line without anything being allocated for it (the
/// benchmark `append, no sync, direct`). The writer's own thread writes and syncs what was appended while more is appended.
///
/// It is not for the threads of Swift's concurrency: when the buffer is full, ``append(_:meta:time:)`` writes it.
public struct ActionAppender<Action: Codable>: ~Copyable, Sendable {
  /// The writer that it appends to.
  public let writer: LogWriter

  let coder = ActionCoder<Action>()
  var text = ActionText()

  /// Makes an appender.
  public init(_ writer: LogWriter) {
    self.writer = writer
  }

  /// Puts an action into the queue as a unit, and wakes the writer's own thread.
  ///
  /// It does not wait for the disk, unless the buffer is full: then it writes what waits on the calling thread.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - meta: A JSON object of remarks.
  ///   - time: When it happened; `nil` for now.
  /// - Returns: A ticket for ``LogWriter/durable(through:)``.
  /// - Throws: The error of the action's own `encode(to:)`, or ``LogError`` as ``LogWriter/enqueue(_:)`` has it.
  /// - Complexity: O(size of the action); with a full buffer O(bytes that wait).
  @discardableResult
  public mutating func append(
    _ action: borrowing Action, meta: [UInt8]? = nil, time: LogTime? = nil
  ) throws -> LogTicket {
    try append(action, meta, time, trigger: .soon)
  }

  /// Puts an action into the queue as a unit that is in no hurry: for imports and other long runs of actions.
  ///
  /// It is written when 256 KiB wait, with whatever is written sooner, when somebody waits for it, or at the latest by
  /// ``LogWriter/flush()``, ``LogWriter/sync()`` or ``LogWriter/closeNow()``: so the disk is not asked for every few
  /// actions.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - meta: A JSON object of remarks.
  ///   - time: When it happened; `nil` for now.
  /// - Returns: A ticket for ``LogWriter/durable(through:)``.
  /// - Throws: As ``append(_:meta:time:)``.
  /// - Complexity: O(size of the action); with a full buffer O(bytes that wait).
  @discardableResult
  public mutating func buffer(
    _ action: borrowing Action, meta: [UInt8]? = nil, time: LogTime? = nil
  ) throws -> LogTicket {
    try append(action, meta, time, trigger: .whenLarge)
  }

  /// Writes and syncs an action on the calling thread: when it returns, the device has it.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - meta: A JSON object of remarks.
  ///   - time: When it happened; `nil` for now.
  /// - Returns: As ``LogWriter/commit(_:)``.
  /// - Throws: The error of the action's own `encode(to:)`, or ``LogError`` as ``LogWriter/commit(_:)`` has it.
  /// - Complexity: O(bytes that wait), and a sync, or two when one is under way.
  @discardableResult
  public mutating func commit(
    _ action: borrowing Action, meta: [UInt8]? = nil, time: LogTime? = nil
  ) throws -> LogReceipt {
    try encode(action, meta)
    while true {
      if let ticket = try text.take(into: writer, meta: meta, time: time, trigger: .byCaller) {
        return try writer.commit(ticket)
      }
      writer.writePending()
    }
  }
}

extension ActionAppender {
  private mutating func append(
    _ action: borrowing Action, _ meta: [UInt8]?, _ time: LogTime?, trigger: WriteTrigger
  ) throws -> LogTicket {
    try encode(action, meta)
    while true {
      if let ticket = try text.take(into: writer, meta: meta, time: time, trigger: trigger) { return ticket }
      writer.writePending()
    }
  }

  private mutating func encode(_ action: borrowing Action, _ meta: [UInt8]?) throws {
    if let meta { try DraftCheck.checkMeta(meta) }
    if let form = try encode(action) { try DraftCheck.check(LogDraft(form)) }
  }
}

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
    try text.take(into: writer, meta: meta, time: nil, following: previous, trigger: .whenLarge)
  }
}

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
    into log: LogWriter, meta: [UInt8]?, time: LogTime?, following previous: LogTicket? = nil, trigger: WriteTrigger
  ) throws(LogError) -> LogTicket? {
    try writer.withUnsafeBytes { (text) throws(LogError) in
      let type = UnsafeRawBufferPointer(rebasing: text[..<typeSize])
      let data = UnsafeRawBufferPointer(rebasing: text[typeSize...])
      let size = text.count + (meta?.count ?? 0) + LogFormat.envelopeLimitBytes
      return try log.takeUnlessFull(following: previous, trigger: trigger) { (queue) throws(LogError) in
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
