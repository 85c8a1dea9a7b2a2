internal import JSONCoding
internal import Platform

/// Appends the actions of one type from a single thread: the fastest way to write a log.
///
/// ```swift
/// var appender = ActionAppender<CounterAction>(writer)
/// for action in actions { ticket = try appender.enqueue(action) }
/// try writer.syncNow()
/// ```
///
/// The encoding of the type is determined once, and encoding an action allocates nothing (benchmark `append, no sync,
/// direct`). Another thread writes and syncs while more actions are appended.
///
/// Do not use it on the threads of Swift concurrency: when the buffer is full, ``enqueue(_:meta:time:)`` blocks to
/// write it.
public struct ActionAppender<Action: Codable>: ~Copyable, Sendable {
  /// The writer that receives the actions.
  public let writer: LogWriter

  let coder = ActionCoder<Action>()
  var text = ActionText()

  /// Creates an appender.
  public init(_ writer: LogWriter) {
    self.writer = writer
  }

  /// Enqueues an action as a unit and wakes a thread that writes it.
  ///
  /// Does not wait for the disk unless the buffer is full; then it writes the buffer on the calling thread.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - meta: A JSON object of metadata.
  ///   - time: The time of the action; `nil` for now.
  /// - Returns: A ticket for ``LogWriter/receipt(for:)``.
  /// - Throws: The error of the action's own `encode(to:)`, or ``LogError`` like ``LogWriter/enqueue(_:)``.
  /// - Complexity: O(size of the action); with a full buffer O(unwritten bytes).
  @discardableResult
  public mutating func enqueue(
    _ action: borrowing Action, meta: [UInt8]? = nil, time: LogTime? = nil
  ) throws -> LogTicket {
    try enqueue(action, meta, time, trigger: .soon)
  }

  /// Enqueues an action for a large batch. For imports and other long series of actions.
  ///
  /// The action is written when 256 KiB are waiting, with the next batch that is written sooner, when a caller waits
  /// for it, or by ``LogWriter/sync()``, ``LogWriter/syncNow()`` or ``LogWriter/closeNow()``.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - meta: A JSON object of metadata.
  ///   - time: The time of the action; `nil` for now.
  /// - Returns: A ticket for ``LogWriter/receipt(for:)``.
  /// - Throws: Like ``enqueue(_:meta:time:)``.
  /// - Complexity: O(size of the action); with a full buffer O(unwritten bytes).
  @discardableResult
  public mutating func buffer(
    _ action: borrowing Action, meta: [UInt8]? = nil, time: LogTime? = nil
  ) throws -> LogTicket {
    try enqueue(action, meta, time, trigger: .whenLarge)
  }

  /// Writes and syncs an action on the calling thread. The device has the action when it returns.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - meta: A JSON object of metadata.
  ///   - time: The time of the action; `nil` for now.
  /// - Returns: Like ``LogWriter/appendNow(_:)``.
  /// - Throws: The error of the action's own `encode(to:)`, or ``LogError`` like ``LogWriter/appendNow(_:)``.
  /// - Complexity: O(unwritten bytes), and one sync, or two if one is under way.
  @discardableResult
  public mutating func appendNow(
    _ action: borrowing Action, meta: [UInt8]? = nil, time: LogTime? = nil
  ) throws -> LogReceipt {
    try writer.syncNow(try enqueue(action, meta, time, trigger: .byCaller))
  }
}

extension ActionAppender {
  private mutating func enqueue(
    _ action: borrowing Action, _ meta: [UInt8]?, _ time: LogTime?, trigger: WriteTrigger
  ) throws -> LogTicket {
    try encode(action, meta)
    while true {
      if let ticket = try text.enqueue(in: writer, meta: meta, time: time, trigger: trigger) { return ticket }
      writer.writePending()
    }
  }

  private mutating func encode(_ action: borrowing Action, _ meta: [UInt8]?) throws {
    if let meta { try DraftCheck.checkMeta(meta) }
    if let form = try encode(action) { try DraftCheck.check(LogDraft(form)) }
  }
}

// A recorder encodes an action first and appends it later, perhaps more than once, and orders units so that none
// follows a rejected one.
extension ActionAppender {
  /// Encodes an action for ``offerEncoded(meta:following:)``.
  ///
  /// - Returns: `nil` if the action keeps the limits of the format; otherwise its form, which the caller must check.
  package mutating func encode(_ action: borrowing Action) throws -> ActionForm? {
    text.writer.truncate(to: 0)
    let (typeSize, form) = try coder.append(action, to: &text.writer)
    text.typeSize = typeSize
    return form
  }

  /// Encodes an action as ``encode(_:)`` does, and checks that it decodes to itself if the sample includes it.
  package mutating func encode(_ action: Action, checking sample: inout RoundTripSample) throws -> ActionForm?
  where Action: Equatable {
    let form = try encode(action)
    let (coder, typeSize) = (coder, text.typeSize)
    try text.writer.withUnsafeBytes { bytes in
      let data = UnsafeRawBufferPointer(rebasing: bytes[typeSize...])
      // Without a form the type has no escapes.
      guard var type = form?.type else {
        let type = UnsafeRawBufferPointer(rebasing: bytes[1..<typeSize - 1])
        if sample.includes(type) { try coder.check(action, type: type, data: data) }
        return
      }
      try type.withUTF8 { type in
        let type = UnsafeRawBufferPointer(type)
        if sample.includes(type) { try coder.check(action, type: type, data: data) }
      }
    }
    return form
  }

  package var encodedBytes: Int { text.writer.count }

  /// Enqueues the encoded action as a unit for a large batch.
  ///
  /// - Parameters:
  ///   - time: The time of the action; `nil` for now.
  ///   - previous: A unit that this one must follow; if it was rejected, this one is rejected, too.
  /// - Returns: `nil` if the queue is full.
  package mutating func offerEncoded(
    meta: [UInt8]?, time: LogTime? = nil, following previous: LogTicket?
  ) throws(LogError) -> LogTicket? {
    try text.enqueue(in: writer, meta: meta, time: time, following: previous, trigger: .whenLarge)
  }
}

/// The encoded type and data of an action, in memory that is reused for the next action.
///
/// It is independent of the action's type, so that this code is not generic.
struct ActionText: ~Copyable, Sendable {
  var writer = DirectWriter(capacity: 1_024)
  var typeSize = 0

  /// Enqueues the encoded action as a unit.
  ///
  /// - Parameter previous: A unit that this one must follow; if it was rejected, this one is rejected, too.
  /// - Returns: `nil` if the queue is full.
  func enqueue(
    in log: LogWriter, meta: [UInt8]?, time: LogTime?, following previous: LogTicket? = nil, trigger: WriteTrigger
  ) throws(LogError) -> LogTicket? {
    try writer.withUnsafeBytes { (text) throws(LogError) in
      let type = UnsafeRawBufferPointer(rebasing: text[..<typeSize])
      let data = UnsafeRawBufferPointer(rebasing: text[typeSize...])
      let size = text.count + (meta?.count ?? 0) + LogFormat.envelopeLimitBytes
      return try log.enqueueUnlessFull(following: previous, trigger: trigger) { (queue) throws(LogError) in
        if queue.isFull(for: size) { return false }
        let time = time ?? log.environment.now()
        guard let meta else {
          try queue.add(type: type, data: data, meta: nil, time: time)
          return true
        }
        let form = queue.header.isSalted ? SaltedLine.compacted(meta) : meta
        try form.withUnsafeBufferPointer { (meta) throws(LogError) in
          try queue.add(type: type, data: data, meta: UnsafeRawBufferPointer(meta), time: time)
        }
        return true
      }
    }
  }
}
