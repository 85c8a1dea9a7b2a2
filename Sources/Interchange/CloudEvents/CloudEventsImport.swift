import ActionLog
import JSONCoding

/// Reads CloudEvents, one JSON object a line.
///
/// Events that were made of a log's actions become those actions again. Of other events everything is kept: `type` and
/// `time` become the action's, `data` its values (a value that is no object as the member `_0`), and the rest the
/// member `cloudevent` of its remarks.
///
/// - SeeAlso: CloudEvents 1.0.2, "JSON Event Format".
public struct CloudEventsImport: Sendable {
  /// The longest line, without its line feed: twice a log's longest and 64 KiB. An action's remarks are a text in an event, in which
  /// each quote takes one byte more, and an event says beside what the action has in less than 64 KiB.
  public static let lineLimitBytes = 2 * LogFormat.lineLimitBytes + (64 << 10)

  /// The log that the events were exported from, once one of them said so.
  public private(set) var log: String?
  /// The model whose actions they are, once one of them said so.
  public private(set) var model: String?

  private var line = 0
  private var byteOffset = 0
  private var lastSeq: Int?

  /// Begins a text.
  public init() {}

  /// Reads the next line.
  ///
  /// - Parameter bytes: The line, without its line feed.
  /// - Returns: `nil` for a blank line.
  /// - Throws: ``InterchangeError`` with line and byte.
  /// - Complexity: O(length of the line).
  public mutating func next(_ bytes: ArraySlice<UInt8>) throws(InterchangeError) -> ImportedAction? {
    line += 1
    defer { byteOffset += bytes.count + 1 }
    let isBlank = bytes.allSatisfy { byte in byte == 0x20 || byte == 0x09 || byte == 0x0D }
    if isBlank { return nil }
    do throws(InterchangeError) {
      var action = try action(bytes)
      action.line = line
      action.byteOffset = byteOffset
      return action
    } catch {
      var placed = error
      placed.line = line
      placed.byteOffset = byteOffset + (error.byteOffset ?? 0)
      throw placed
    }
  }

  /// Counts a line that was passed over because it is longer than the limit, and makes the error that says so.
  public mutating func refuseLongLine() -> InterchangeError {
    line += 1
    return InterchangeError(
      .beyondLimit, "the event is longer than \(Self.lineLimitBytes) bytes", line: line, byteOffset: byteOffset)
  }

  private mutating func action(_ bytes: ArraySlice<UInt8>) throws(InterchangeError) -> ImportedAction {
    let event = try CloudEvent(bytes)
    guard let origin = event.origin else { return try event.foreignAction() }
    if let log, log != origin.log {
      throw InterchangeError(
        .wrongShape, "the event is of the log \(origin.log), those before it are of \(log)",
        advice: "Import the events of one log at a time.")
    }
    if let lastSeq, origin.seq <= lastSeq {
      throw InterchangeError(
        .wrongShape, "the event of revision \(origin.seq) comes after that of \(lastSeq)",
        advice: "Sort the lines by \"sequence\", and drop doubles.")
    }
    (log, lastSeq, model) = (origin.log, origin.seq, origin.model)
    return try event.ownAction(seq: origin.seq)
  }
}
