/// A valid line of a log: an action or a control record.
///
/// It owns a copy of the line; ``data`` and ``meta`` are views of it.
public struct LogRecord: Sendable, Equatable {
  /// The revision after the action; for a control record, the revision of the action before it.
  public let revision: Int
  /// The time at which the action was recorded. Times may decrease, revisions never do.
  public let time: LogTime
  /// The action's case path, for example `ui.categoryList.onAppear`; for a control record, a name that begins with `@`.
  public let type: String
  /// The highest revision that was known to be durable when the line was encoded.
  public let synced: Int
  /// The checksum of the previous line.
  public let prev: UInt32
  /// The checksum of this line.
  public let crc: UInt32
  /// The schema of the model that was in force, which selects the upcasters.
  public let schema: Int
  /// Whether values of the line were replaced by a redaction.
  public let isRedacted: Bool
  /// Whether a redaction excludes the action from the fold: it has its revision and changes nothing.
  public let isSkipped: Bool
  /// The position of the line on disk.
  public let place: LogPlace
  /// The bytes of the line, without its line feed.
  public let rawLine: [UInt8]

  private let dataRange: Range<Int>
  private let metaRange: Range<Int>?

  package init(_ parsed: ParsedLine, line: ArraySlice<UInt8>, schema: Int, place: LogPlace) {
    revision = parsed.revision
    time = parsed.time
    type = parsed.typeText(in: line)
    synced = parsed.synced
    prev = parsed.prev
    crc = parsed.crc
    isRedacted = parsed.isRedacted
    isSkipped = parsed.isSkipped
    self.schema = schema
    self.place = place
    rawLine = Array(line)
    dataRange = parsed.data
    metaRange = parsed.meta
  }

  /// Whether the line is a control record and not an action.
  public var isControl: Bool { type.utf8.first == ControlType.prefix }

  /// A copy of the JSON object with the action's values.
  ///
  /// - Complexity: O(length); ``dataBytes`` copies nothing.
  public var data: [UInt8] { Array(dataBytes) }

  /// The JSON object with the action's values, as a slice of ``rawLine``.
  public var dataBytes: ArraySlice<UInt8> { rawLine[dataRange] }

  /// A copy of the JSON object with the action's metadata.
  ///
  /// - Complexity: O(length).
  public var meta: [UInt8]? { metaRange.map { range in Array(rawLine[range]) } }
}

/// The position of a record on disk.
public struct LogPlace: Sendable, Equatable {
  /// The path of the segment.
  public var path: String
  /// The offset of the line's first byte in the file.
  public var byteOffset: Int
  /// The line number, starting at 1; `nil` if reading began in the middle of the file.
  public var line: Int?

  package init(path: String, byteOffset: Int, line: Int? = nil) {
    self.path = path
    self.byteOffset = byteOffset
    self.line = line
  }
}
