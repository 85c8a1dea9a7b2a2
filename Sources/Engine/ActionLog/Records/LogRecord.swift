/// One line of a log that checked: an action, or a control record.
///
/// It owns a copy of the line; ``data`` and ``meta`` are views into it.
public struct LogRecord: Sendable, Equatable {
  /// The revision that the action leads to; of a control record, the revision it stands after.
  public let seq: Int
  /// When the action was recorded. Times may go back; `seq` never does.
  public let time: LogTime
  /// The action's case path, for instance `ui.categoryList.onAppear`; of a control record, a name that begins with `@`.
  public let type: String
  /// The highest revision that was known durable when the line was encoded.
  public let synced: Int
  /// The checksum of the line before.
  public let prev: UInt32
  /// The checksum of this line.
  public let crc: UInt32
  /// The schema of the model that was in force: what upcasters go by.
  public let schema: Int
  /// Where the line stands.
  public let place: LogPlace
  /// The bytes of the line, without its line feed.
  public let rawLine: [UInt8]

  private let dataRange: Range<Int>
  private let metaRange: Range<Int>?

  init(_ parsed: ParsedLine, line: ArraySlice<UInt8>, schema: Int, place: LogPlace) {
    seq = parsed.seq
    time = parsed.time
    type = parsed.typeText(in: line)
    synced = parsed.synced
    prev = parsed.prev
    crc = parsed.crc
    self.schema = schema
    self.place = place
    rawLine = Array(line)
    dataRange = parsed.data
    metaRange = parsed.meta
  }

  /// Whether the line is a control record and not an action.
  public var isControl: Bool { type.utf8.first == UInt8(ascii: "@") }

  /// The JSON object of the action's values, as a copy of its bytes.
  ///
  /// - Complexity: O(length); ``dataBytes`` copies nothing.
  public var data: [UInt8] { Array(dataBytes) }

  /// The JSON object of the action's values, within ``rawLine``.
  public var dataBytes: ArraySlice<UInt8> { rawLine[dataRange] }

  /// The JSON object of remarks on the action, as a copy of its bytes.
  ///
  /// - Complexity: O(length).
  public var meta: [UInt8]? { metaRange.map { range in Array(rawLine[range]) } }
}

/// Where a record stands on disk.
public struct LogPlace: Sendable, Equatable {
  /// The segment's path.
  public var path: String
  /// The first byte of the line in the file, counted from 0.
  public var byteOffset: Int
  /// The line in the file, counted from 1; `nil` when reading began in the middle of the file.
  public var line: Int?

  /// Makes a place from its parts.
  public init(path: String, byteOffset: Int, line: Int? = nil) {
    self.path = path
    self.byteOffset = byteOffset
    self.line = line
  }
}
