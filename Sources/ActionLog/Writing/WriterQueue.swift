/// Drafts that became lines and wait for the disk.
///
/// Lines are encoded when they are taken, because each carries the checksum of the one before. So the beginning of a new
/// segment is decided here too, before anything of it is written; and when a batch is rejected, everything that was
/// encoded after it goes with it.
struct WriterQueue: Sendable {
  /// A place in the queue where a new segment begins.
  struct Roll: Equatable, Sendable {
    /// Where the `@segment` line begins and ends in the bytes of the batch.
    var line: Range<Int>
    /// The end of the old segment.
    var before: WriterPosition
    /// The end of the `@segment` line.
    var after: WriterPosition
  }

  /// Lines that are written together.
  struct Batch: Sendable {
    var bytes: [UInt8] = []
    var rolls: [Roll] = []
    /// The end of the last line.
    var end: WriterPosition
  }

  /// What the `@segment` lines of this writer say.
  private(set) var header: LogHeader
  /// The end of what was taken.
  private(set) var encoded: WriterPosition
  /// The highest revision that is known durable, for the `synced` of the lines to come.
  var syncedSeq: Int

  private var bytes: [UInt8] = []
  private var rolls: [Roll] = []
  private var encoder = LineEncoder()
  /// The number of the last unit; it does not go back when units are rejected.
  private(set) var lastOrdinal: Int
  private let segmentLimitBytes: Int
  private let bufferLimitBytes: Int

  init(header: LogHeader, at position: WriterPosition, configuration: LogConfiguration) {
    self.header = header
    encoded = position
    syncedSeq = position.seq
    lastOrdinal = position.ordinal
    segmentLimitBytes = configuration.segmentLimitBytes
    bufferLimitBytes = configuration.bufferLimitBytes
  }

  /// A little more than the members of the envelope need.
  static let envelopeLimitBytes = 160

  /// How many bytes wait.
  var pendingBytes: Int { bytes.count }

  /// Whether a unit has to wait until something was written.
  func isFull(for drafts: [LogDraft]) -> Bool {
    guard !bytes.isEmpty else { return false }
    let needed = drafts.reduce(0) { sum, draft in
      sum + draft.data.count + draft.type.utf8.count + (draft.meta?.count ?? 0) + Self.envelopeLimitBytes
    }
    return bytes.count + needed > bufferLimitBytes
  }

  /// Takes a unit: drafts that are written together or not at all. They have been checked.
  ///
  /// - Throws: ``LogError/Code/beyondLimit`` when a line is too long or the numbers run out; the queue is then as before.
  /// - Complexity: O(bytes of the drafts).
  mutating func add(_ drafts: [LogDraft], now: @Sendable () -> LogTime) throws(LogError) {
    let saved = (encoded, bytes.count, rolls.count)
    do throws(LogError) {
      let needsNow = drafts.contains { draft in draft.time == nil }
      let time = needsNow ? now() : nil
      if let first = drafts.first, !first.isControl, encoded.holdsAction, encoded.bytes >= segmentLimitBytes {
        try roll(at: time ?? first.time ?? now())
      }
      for draft in drafts {
        // One of the two is there: `time` was asked for when any draft lacks its own.
        try encode(type: draft.type, data: draft.data, meta: draft.meta, time: draft.time ?? time ?? now())
      }
    } catch {
      encoded = saved.0
      bytes.removeLast(bytes.count - saved.1)
      rolls.removeLast(rolls.count - saved.2)
      throw error
    }
    lastOrdinal += 1
    encoded.ordinal = lastOrdinal
  }

  /// Takes a control record of the writer itself as a unit.
  mutating func addControl(_ type: ControlType, data: [UInt8], time: LogTime) throws(LogError) {
    try encode(type: type.rawValue, data: data, meta: nil, time: time)
    lastOrdinal += 1
    encoded.ordinal = lastOrdinal
  }

  /// Begins a new segment.
  mutating func roll(at time: LogTime) throws(LogError) {
    let before = encoded
    let start = bytes.count
    header.first = encoded.seq + 1
    header.created = time
    header.parent = nil
    encoded.segment = header.first
    encoded.bytes = 0
    encoded.holdsAction = false
    try encode(type: ControlType.segment.rawValue, data: header.data(), meta: nil, time: time)
    rolls.append(Roll(line: start..<bytes.count, before: before, after: encoded))
  }

  private mutating func encode(type: String, data: [UInt8], meta: [UInt8]?, time: LogTime) throws(LogError) {
    let isControl = type.utf8.first == UInt8(ascii: "@")
    let seq = isControl ? encoded.seq : encoded.seq + 1
    guard seq <= LogFormat.seqLimit else { throw LogError(.beyondLimit, "a log ends at seq \(LogFormat.seqLimit)") }
    // An earlier refusal than the exact one below, so that nothing huge is copied first.
    guard data.count + (meta?.count ?? 0) <= LogFormat.lineLimitBytes else { throw DraftCheck.tooLong() }
    let start = bytes.count
    let crc = encoder.append(
      seq: seq, time: time, type: type, synced: syncedSeq, prev: encoded.crc, data: data, meta: meta, to: &bytes)
    let size = bytes.count - start
    guard size <= LogFormat.lineLimitBytes else {
      bytes.removeLast(size)
      throw DraftCheck.tooLong()
    }
    encoded.seq = seq
    encoded.crc = crc
    encoded.bytes += size
    if !isControl { encoded.holdsAction = true }
  }

  /// Hands over everything that waits.
  ///
  /// - Parameter spare: An empty array, whose memory the queue goes on with.
  /// - Returns: `nil` when nothing waits.
  mutating func take(spare: inout [UInt8]) -> Batch? {
    guard !bytes.isEmpty else { return nil }
    swap(&bytes, &spare)
    let batch = Batch(bytes: spare, rolls: rolls, end: encoded)
    spare = []
    rolls = []
    return batch
  }

  /// Throws away everything that was taken after a place.
  mutating func rewind(to position: WriterPosition) {
    encoded = position
    header.first = position.segment
    bytes.removeAll(keepingCapacity: true)
    rolls.removeAll()
  }
}
