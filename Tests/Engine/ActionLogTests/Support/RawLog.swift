import ActionLog
import ActionLogTesting

/// A builder of segments, line by line, including ones that a writer never produces.
struct RawLog {
  static let id = "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"
  static let time = "2026-11-21T09:00:00.000000Z"

  var bytes: [UInt8] = []
  var prev: UInt32 = 0
  private var encoder = LineEncoder()

  /// Starts a segment.
  init(first: Int = 1, prev: UInt32 = 0, synced: Int? = nil, header: String? = nil) {
    self.prev = prev
    let data =
      header
      ?? #"{"format":"actionlog/1","log":"\#(RawLog.id)","model":"counter","schema":1,"first":\#(first),"epoch":1,"created":"\#(RawLog.time)"}"#
    line(revision: first - 1, type: "@segment", synced: synced ?? first - 1, data: data)
  }

  /// Adds a line in the form of the writer.
  mutating func line(
    revision: Int, type: String = "add", synced: Int = 0, prev: UInt32? = nil, data: String = "{}", meta: String? = nil
  ) {
    self.prev = encoder.append(
      revision: revision, time: LogEnvironment.testStart, type: type, synced: synced, prev: prev ?? self.prev,
      data: Array(data.utf8), meta: meta.map { meta in Array(meta.utf8) }, to: &bytes)
  }

  /// Adds a line with a salt.
  mutating func salted(
    revision: Int, type: String = "add", synced: Int = 0, salt: [UInt8], data: String, meta: String? = nil
  ) {
    self.prev = encoder.append(
      revision: revision, time: LogEnvironment.testStart, type: type, synced: synced, prev: prev, salt: salt,
      data: Array(data.utf8), meta: meta.map { meta in Array(meta.utf8) }, to: &bytes)
  }

  /// Adds a line with arbitrary members and a valid checksum.
  ///
  /// - Parameter body: Everything from `{` up to `,"crc":`. `PREV` is replaced with the checksum of the previous line.
  mutating func line(body: String) {
    let text = Array(body.replacing("PREV", with: ChecksumDigits.text(prev)).utf8)
    prev = CRC32C.checksum(of: text)
    bytes += text + Array(#","crc":""#.utf8)
    ChecksumDigits.append(prev, to: &bytes)
    bytes += Array("\"}\n".utf8)
  }

  /// Returns a story with this segment only.
  func story(first: Int = 1) throws -> LogStory {
    let story = LogStory()
    try story.files.setContents(bytes, of: story.segment(first))
    return story
  }
}
