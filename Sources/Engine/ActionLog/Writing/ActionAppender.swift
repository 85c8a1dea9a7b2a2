internal import JSONCoding

/// Appends the actions of one type, for a thread of one's own: the fastest way into a log.
///
/// ```swift
/// var appender = ActionAppender<CounterAction>(writer)
/// for action in actions { ticket = try appender.append(action) }
/// try writer.synchronize()
/// ```
///
/// How the type is encoded is looked up once, and an action becomes a line without anything being allocated for it (the
/// benchmark `append, no sync, direct`). The writer's own thread writes and synchronises what was appended while more is appended.
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
    try append(action, meta, time, haste: .soon)
  }

  /// Puts an action into the queue as a unit that is in no hurry: for imports and other long runs of actions.
  ///
  /// It is written when 256 KiB wait, with whatever is written sooner, when somebody waits for it, or at the latest by
  /// ``LogWriter/flush()``, ``LogWriter/synchronize()`` or ``LogWriter/closeNow()``: so the disk is not asked for every few
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
    try append(action, meta, time, haste: .whenWorthwhile)
  }

  /// Writes and synchronises an action on the calling thread: when it returns, the device has it.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - meta: A JSON object of remarks.
  ///   - time: When it happened; `nil` for now.
  /// - Returns: As ``LogWriter/commit(_:)``.
  /// - Throws: The error of the action's own `encode(to:)`, or ``LogError`` as ``LogWriter/commit(_:)`` has it.
  /// - Complexity: O(bytes that wait), and a synchronisation, or two when one is under way.
  @discardableResult
  public mutating func commit(
    _ action: borrowing Action, meta: [UInt8]? = nil, time: LogTime? = nil
  ) throws -> LogReceipt {
    try encode(action, meta)
    while true {
      if let ticket = try text.take(into: writer, meta: meta, time: time, haste: .byCaller) {
        return try writer.commit(ticket)
      }
      writer.writePending()
    }
  }
}

extension ActionAppender {
  private mutating func append(
    _ action: borrowing Action, _ meta: [UInt8]?, _ time: LogTime?, haste: Haste
  ) throws -> LogTicket {
    try encode(action, meta)
    while true {
      if let ticket = try text.take(into: writer, meta: meta, time: time, haste: haste) { return ticket }
      writer.writePending()
    }
  }

  private mutating func encode(_ action: borrowing Action, _ meta: [UInt8]?) throws {
    if let meta { try DraftCheck.checkMeta(meta) }
    if let form = try encode(action) { try DraftCheck.check(LogDraft(form)) }
  }
}
