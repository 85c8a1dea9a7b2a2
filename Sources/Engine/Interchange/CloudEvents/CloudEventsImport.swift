import ActionLog
import JSONCoding

/// A reader of CloudEvents, one JSON object per line.
///
/// Events that were exported from a log are imported as the original actions. Foreign events are imported without loss: `type` and `time`
/// become the action's, `data` becomes its data (in the member `_0` if it is not an object), and the other attributes become the
/// member `cloudevent` of its metadata.
///
/// - SeeAlso: CloudEvents 1.0.2, "JSON Event Format".
public struct CloudEventsImport: Sendable {
  /// The maximum length of a line without its line feed: twice the limit of a log, plus 64 KiB. An action's metadata is a string in an
  /// event, where escaping can double its length, and the additional attributes need less than 64 KiB.
  public static let lineLimitBytes = 2 * LogFormat.lineLimitBytes + (64 << 10)

  /// The log that the events were exported from; `nil` until the first such event.
  public private(set) var log: String?
  /// The model of the exported actions; `nil` until the first such event.
  public private(set) var model: String?

  private var line = 0
  private var byteOffset = 0
  private var lastRevision: Int?

  /// Creates a reader for a new text.
  public init() {}

  /// Reads the next line.
  ///
  /// - Parameter bytes: The line, without its line feed.
  /// - Returns: `nil` for a blank line.
  /// - Throws: ``InterchangeError`` with line and byte offset.
  /// - Complexity: O(*n*) in the length of the line.
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

  /// Counts a skipped line that exceeds the length limit, and returns the error for it.
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
        .wrongShape, "the event belongs to the log \(origin.log), the preceding events to \(log)",
        advice: "Import the events of one log at a time.")
    }
    if let lastRevision, origin.revision <= lastRevision {
      throw InterchangeError(
        .wrongShape, "the event of revision \(origin.revision) follows that of revision \(lastRevision)",
        advice: "Sort the lines by \"sequence\", and remove duplicates.")
    }
    (log, lastRevision, model) = (origin.log, origin.revision, origin.model)
    return try event.ownAction(revision: origin.revision)
  }
}
