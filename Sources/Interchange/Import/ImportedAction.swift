public import ActionLog
public import JSONCoding

/// An action as another program's text has it.
public struct ImportedAction: Sendable, Equatable {
  /// The case path, or whatever name the other program has for it; never that of a control record.
  public var type: String
  /// The values: a JSON object.
  public var data: [UInt8]
  /// Remarks, those included that the other format needs when the action is written back.
  public var meta = JSONObject()
  /// When it happened, where the text says so.
  public var time: LogTime?
  /// The schema that it was written in, where the text says so.
  public var schema: Int?
  /// The revision that it had in the log that it was exported from, where it was.
  public var seq: Int?
  /// Whether it was switched off: it is kept, and not folded.
  public var isSkipped = false
  /// The line in the text, counted from 1; `nil` for a format that has no lines.
  public var line: Int?
  /// The place in the document, as a JSON Pointer; `nil` for a format of lines.
  public var pointer: String?
  /// Where it begins, counted from 0 at the first byte of the whole text.
  public var byteOffset: Int?

  init(type: String, data: [UInt8]) {
    self.type = type
    self.data = data
  }
}
