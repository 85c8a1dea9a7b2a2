internal import JSONCoding

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
    /// The memory that the lines lie in, and how much of it they take.
    var bytes: [UInt8] = []
    var count = 0
    var rolls: [Roll] = []
    /// The end of the last line.
    var end: WriterPosition
  }

  /// What the `@segment` lines of this writer say.
  private(set) var header: LogHeader
  /// The end of what was taken.
  private(set) var encoded: WriterPosition
  /// The `@open` record that states this writer's schema, for a segment without actions that has an older one.
  var schemaChange: OpenRecord?
  /// The highest revision that is known durable, for the `synced` of the lines to come.
  var syncedSeq: Int

  /// Memory for lines, all of it initialised, so that lines are written into it without a check for each part.
  private var bytes: [UInt8] = []
  /// How much of it lines take.
  private var used = 0
  private var rolls: [Roll] = []
  private var encoder = LineEncoder()
  /// Scratch space for the string of a type.
  private var typeText: [UInt8] = []
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

  /// 64 KiB: what is allocated at first; a writer of few actions needs no more.
  private static let firstCapacityBytes = 1 << 16

  /// How many bytes wait.
  var pendingBytes: Int { used }

  /// Whether a unit has to wait until something was written.
  func isFull(for drafts: [LogDraft]) -> Bool {
    guard used > 0 else { return false }
    return isFull(for: drafts.reduce(0) { sum, draft in sum + Self.room(for: draft) })
  }

  /// How many bytes a draft takes at most, as a line and while it waits to become one.
  static func room(for draft: LogDraft) -> Int {
    draft.type.utf8.count + draft.data.count + (draft.meta?.count ?? 0) + LogFormat.envelopeLimitBytes
  }

  /// Whether so many bytes have to wait until something was written.
  func isFull(for bytes: Int) -> Bool { used > 0 && used + bytes > bufferLimitBytes }

  /// Takes a unit: drafts that go into one batch, and none of which stays in the log when that is rejected. They have been checked.
  ///
  /// - Throws: ``LogError/Code/beyondLimit`` when a line is too long or the numbers run out; the queue is then as before.
  /// - Complexity: O(bytes of the drafts).
  mutating func add(_ drafts: [LogDraft], now: @Sendable () -> LogTime) throws(LogError) {
    try asUnit { (queue) throws(LogError) in
      let needsNow = drafts.contains { draft in draft.time == nil }
      let time = needsNow ? now() : nil
      if let first = drafts.first, queue.mustRaiseSchema || !first.isControl && queue.mustRoll {
        try queue.prepareForRecord(at: time ?? first.time ?? now())
      }
      for draft in drafts {
        // One of the two is there: `time` was asked for when any draft lacks its own.
        try queue.encode(type: draft.type, data: draft.data, meta: draft.meta, time: draft.time ?? time ?? now())
      }
    }
  }

  /// Takes an action as a unit, whose type is written as it stands in a line.
  ///
  /// - Throws: As for drafts.
  /// - Complexity: O(bytes of the action).
  mutating func add(
    type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer, meta: UnsafeRawBufferPointer?, time: LogTime
  ) throws(LogError) {
    if mustRoll || mustRaiseSchema {
      try asUnit { (queue) throws(LogError) in
        try queue.prepareForRecord(at: time)
        try queue.encode(type: type, data: data, meta: meta, time: time, isControl: false)
      }
    } else {
      // One line is added or none.
      try encode(type: type, data: data, meta: meta, time: time, isControl: false)
      lastOrdinal += 1
      encoded.ordinal = lastOrdinal
    }
  }

  /// Whether the next action begins a new segment.
  private var mustRoll: Bool { encoded.bytes >= segmentLimitBytes && encoded.holdsAction }

  /// Whether the next record is the first one of a newer schema.
  private var mustRaiseSchema: Bool { encoded.schema != header.schema }

  /// Begins a segment, or states the schema in one that holds no action: its successor would have the same name.
  private mutating func prepareForRecord(at time: LogTime) throws(LogError) {
    if encoded.holdsAction {
      try roll(at: time)
    } else {
      if let schemaChange { try encode(schemaChange, time: time) }
      encoded.schema = header.schema
    }
  }

  /// Adds lines that become one unit, or none of them.
  private mutating func asUnit(_ body: (inout WriterQueue) throws(LogError) -> Void) throws(LogError) {
    let saved = (encoded, used, rolls.count)
    do throws(LogError) {
      try body(&self)
    } catch {
      encoded = saved.0
      used = saved.1
      rolls.removeLast(rolls.count - saved.2)
      throw error
    }
    lastOrdinal += 1
    encoded.ordinal = lastOrdinal
  }

  /// Takes a control record of the writer itself as a unit.
  mutating func add(_ record: some ControlRecord, time: LogTime) throws(LogError) {
    try encode(record, time: time)
    lastOrdinal += 1
    encoded.ordinal = lastOrdinal
  }

  /// Begins a new segment.
  mutating func roll(at time: LogTime) throws(LogError) {
    let before = encoded
    let start = used
    header.first = encoded.seq + 1
    header.created = time
    header.parent = nil
    encoded.segment = header.first
    encoded.bytes = 0
    encoded.holdsAction = false
    encoded.schema = header.schema
    try encode(header, time: time)
    rolls.append(Roll(line: start..<used, before: before, after: encoded))
  }

  private mutating func encode(_ record: some ControlRecord, time: LogTime) throws(LogError) {
    try encode(type: Swift.type(of: record).controlType.rawValue, data: record.data(), meta: nil, time: time)
  }

  private mutating func encode(type: String, data: [UInt8], meta: [UInt8]?, time: LogTime) throws(LogError) {
    let isControl = type.utf8.first == UInt8(ascii: "@")
    var text: [UInt8] = []
    swap(&text, &typeText)
    defer { swap(&text, &typeText) }
    text.removeAll(keepingCapacity: true)
    JSONText.appendString(type, to: &text)
    try text.withUnsafeBufferPointer { (type) throws(LogError) in
      try data.withUnsafeBufferPointer { (data) throws(LogError) in
        try (meta ?? []).withUnsafeBufferPointer { (bytes) throws(LogError) in
          let meta = meta == nil ? nil : UnsafeRawBufferPointer(bytes)
          try encode(
            type: UnsafeRawBufferPointer(type), data: UnsafeRawBufferPointer(data), meta: meta, time: time,
            isControl: isControl)
        }
      }
    }
  }

  @inline(__always)
  private mutating func encode(
    type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer, meta: UnsafeRawBufferPointer?, time: LogTime,
    isControl: Bool
  ) throws(LogError) {
    let seq = isControl ? encoded.seq : encoded.seq + 1
    guard seq <= LogFormat.seqLimit else { throw LogError(.beyondLimit, "a log ends at seq \(LogFormat.seqLimit)") }
    let metaCount = meta?.count ?? 0
    // An earlier refusal than the exact one below, so that nothing huge is copied first.
    guard data.count + metaCount <= LogFormat.lineLimitBytes else {
      throw DraftCheck.tooLong(type: type, data: data, meta: meta)
    }
    reserve(LineEncoder.sizeLimit(type: type.count, data: data.count, meta: metaCount))
    var encoder = encoder
    let (start, synced, prev) = (used, syncedSeq, encoded.crc)
    let line = bytes.withUnsafeMutableBytes { bytes in
      // The memory is not empty, so that it has an address.
      encoder.write(
        seq: seq, time: time, type: type, synced: synced, prev: prev, data: data, meta: meta,
        to: bytes.baseAddress.unsafelyUnwrapped + start)
    }
    self.encoder = encoder
    guard line.size <= LogFormat.lineLimitBytes else { throw DraftCheck.tooLong(type: type, data: data, meta: meta) }
    used += line.size
    encoded.seq = seq
    encoded.crc = line.crc
    encoded.bytes += line.size
    if !isControl { encoded.holdsAction = true }
  }

  /// Makes room.
  @inline(__always)
  private mutating func reserve(_ count: Int) {
    if bytes.count - used < count { grow(count) }
  }

  private mutating func grow(_ count: Int) {
    let capacity = max(WriterQueue.firstCapacityBytes, bytes.count * 2, used + count)
    var larger = [UInt8](repeating: 0, count: capacity)
    let used = used
    larger.withUnsafeMutableBytes { larger in
      bytes.withUnsafeBytes { bytes in larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<used])) }
    }
    bytes = larger
  }

  /// Hands over everything that waits.
  ///
  /// - Parameter spare: Memory that the queue goes on with.
  /// - Returns: `nil` when nothing waits.
  mutating func take(spare: inout [UInt8]) -> Batch? {
    guard used > 0 else { return nil }
    swap(&bytes, &spare)
    let batch = Batch(bytes: spare, count: used, rolls: rolls, end: encoded)
    spare = []
    rolls = []
    used = 0
    return batch
  }

  /// Throws away everything that was taken after a place.
  mutating func rewind(to position: WriterPosition) {
    encoded = position
    header.first = position.segment
    used = 0
    rolls.removeAll()
  }
}

/// A place at the end of a line, to which the writer can say how far it got and to which it can go back.
struct WriterPosition: Equatable, Sendable {
  /// The last revision.
  var seq: Int
  /// The checksum of the last line.
  var crc: UInt32
  /// The first `seq` of the segment, which is its name.
  var segment: Int
  /// The length of the segment.
  var bytes: Int
  /// Whether the segment holds an action, so that it can be rolled.
  var holdsAction: Bool
  /// The schema in force for the next action.
  var schema: Int
  /// The last unit of drafts.
  var ordinal = 0
}
