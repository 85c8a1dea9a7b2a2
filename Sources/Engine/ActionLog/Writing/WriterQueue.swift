internal import JSONCoding

/// The encoded lines that wait for the disk.
///
/// A draft is encoded when it is accepted, because its line includes the checksum of the previous one. So the queue
/// also decides where a new segment begins, and rejecting a batch discards everything encoded after it.
package struct WriterQueue: Sendable {
  /// A position in the queue where a new segment begins.
  package struct Roll: Equatable, Sendable {
    var line: Range<Int>
    package var before: WriterPosition
    /// The end of the `@segment` line.
    package var after: WriterPosition
  }

  /// Lines that are written together.
  package struct Batch: Sendable {
    /// The memory of the lines, and the number of bytes in use.
    var bytes: [UInt8] = []
    var count = 0
    package var rolls: [Roll] = []
    package var end: WriterPosition
  }

  /// The header of the next segments.
  private(set) var header: LogHeader
  /// The end of the accepted lines.
  private(set) var encoded: WriterPosition
  /// The `@open` record that states this writer's schema, for a segment without actions that has an older one.
  /// Set before the first record.
  var schemaChange: OpenRecord?
  /// The highest durable revision, for the `synced` of the next lines.
  var syncedRevision: Int
  /// The salts of the next lines. Unused in a log without salts.
  var salts = SaltSupply()

  /// Memory for lines, fully initialized, so that lines are written without a bounds check for each part.
  private var bytes: [UInt8] = []
  private var used = 0
  private var rolls: [Roll] = []
  private var encoder = LineEncoder()
  /// Scratch memory for the string of a type.
  private var typeText: [UInt8] = []
  /// The number of the last unit. It does not decrease when units are rejected.
  private(set) var lastOrdinal: Int
  private let segmentLimitBytes: Int
  private let segmentAge: LogConfiguration.SegmentAge?
  private let bufferLimitBytes: Int
  private let makeSalts: SaltSupply.Source

  package init(header: LogHeader, at position: WriterPosition, configuration: LogConfiguration) {
    self.header = header
    encoded = position
    syncedRevision = position.revision
    lastOrdinal = position.ordinal
    segmentLimitBytes = configuration.segmentLimitBytes
    segmentAge = configuration.segmentAge
    bufferLimitBytes = configuration.bufferLimitBytes
    makeSalts = configuration.environment.makeSalts
  }

  /// 4 KiB: the first allocation, enough for a writer of few actions. A thousand logs have two thousand of them.
  private static let firstCapacityBytes = 1 << 12

  var pendingBytes: Int { used }

  /// Whether a unit must wait until the queue was written.
  func isFull(for drafts: [LogDraft]) -> Bool {
    guard used > 0 else { return false }
    return isFull(for: drafts.reduce(0) { sum, draft in sum + Self.room(for: draft, isSalted: encoded.isSalted) })
  }

  /// The maximum number of bytes that a draft takes as a line.
  package static func room(for draft: LogDraft, isSalted: Bool) -> Int {
    draft.type.utf8.count + draft.data.count + (draft.meta?.count ?? 0) + LogFormat.envelopeLimitBytes
      + (isSalted ? LogFormat.saltMemberBytes : 0)
  }

  /// Whether this many bytes must wait until the queue was written.
  func isFull(for bytes: Int) -> Bool { used > 0 && used + bytes > bufferLimitBytes }

  /// Adds a unit: checked drafts that are written in one batch and rejected together.
  ///
  /// - Throws: ``LogError/Code/beyondLimit`` if a line is too long or the revisions are exhausted. The queue is
  ///   unchanged then.
  package mutating func add(_ drafts: [LogDraft], now: @Sendable () -> LogTime) throws(LogError) {
    try asUnit { (queue) throws(LogError) in
      let needsNow = drafts.contains { draft in draft.time == nil }
      let time = needsNow ? now() : nil
      if let first = drafts.first,
        queue.mustRaiseSchema || first.beginsActions && queue.mustRoll(at: first.time ?? time)
      {
        try queue.prepareForRecord(at: time ?? first.time ?? now())
      }
      for draft in drafts {
        // `time` is set if any draft lacks its own.
        try queue.encode(
          type: draft.type, data: draft.isDataChecked ? draft.data : queue.form(of: draft.data),
          meta: draft.meta.map { meta in queue.form(of: meta) }, time: draft.time ?? time ?? now())
      }
    }
  }

  /// Adds an action as a unit; `type` is the encoded string.
  mutating func add(
    type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer, meta: UnsafeRawBufferPointer?, time: LogTime
  ) throws(LogError) {
    if mustRoll(at: time) || mustRaiseSchema {
      try asUnit { (queue) throws(LogError) in
        try queue.prepareForRecord(at: time)
        try queue.encode(type: type, data: data, meta: meta, time: time, isControl: false)
      }
    } else {
      // Adding a single line is atomic.
      try encode(type: type, data: data, meta: meta, time: time, isControl: false)
      lastOrdinal += 1
      encoded.ordinal = lastOrdinal
    }
  }

  /// Returns an object in the form that the next line requires: without white space if the line has a salt.
  private func form(of object: [UInt8]) -> [UInt8] { encoded.isSalted ? SaltedLine.compacted(object) : object }

  /// Whether the next action begins a new segment.
  @inline(__always)
  private func mustRoll(at time: LogTime?) -> Bool {
    guard encoded.holdsAction else { return false }
    if encoded.bytes >= segmentLimitBytes { return true }
    guard let segmentAge, let time else { return false }
    return segmentAge.hasPassed(from: encoded.created, to: time)
  }

  /// Whether the next record is the first one of a newer schema.
  private var mustRaiseSchema: Bool { encoded.schema != header.schema }

  /// Begins a segment, or appends `@open` with the new schema to a segment without actions, whose successor would
  /// have the same name.
  private mutating func prepareForRecord(at time: LogTime) throws(LogError) {
    if encoded.holdsAction {
      try roll(at: time)
    } else if let schemaChange {
      try encode(schemaChange, time: time)
    }
  }

  /// Adds the lines of one unit, or none of them.
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

  /// Adds a control record of the writer itself as a unit.
  mutating func add(_ record: some ControlRecord, meta: [UInt8]? = nil, time: LogTime) throws(LogError) {
    try encode(record, meta: meta.map { meta in form(of: meta) }, time: time)
    lastOrdinal += 1
    encoded.ordinal = lastOrdinal
  }

  /// Adds a control record as a unit, before the first action of its segment: of a new one if the present one has an action.
  mutating func add(beginning record: some ControlRecord, actor: String?, time: LogTime) throws(LogError) {
    let meta = actor.map { actor in JSONValue.object(["actor": .string(actor)]).bytes() }
    try asUnit { (queue) throws(LogError) in
      if queue.encoded.holdsAction { try queue.roll(at: time) }
      try queue.encode(
        type: Swift.type(of: record).controlType.rawValue, data: record.data(), meta: meta, time: time)
    }
  }

  /// Begins a new segment.
  ///
  /// - Parameter schema: The schema that the segment states; `nil` for that of this writer.
  mutating func roll(at time: LogTime, schema: Int? = nil) throws(LogError) {
    let before = encoded
    let start = used
    header.first = encoded.revision + 1
    header.created = time
    header.parent = nil
    encoded.segment = header.first
    encoded.created = time
    encoded.bytes = 0
    encoded.holdsAction = false
    // The salts follow the line that announces them.
    encoded.isSalted = false
    var stated = header
    stated.schema = schema ?? header.schema
    try encode(stated, time: time)
    rolls.append(Roll(line: start..<used, before: before, after: encoded))
  }

  private mutating func encode(_ record: some ControlRecord, meta: [UInt8]? = nil, time: LogTime) throws(LogError) {
    try encode(type: Swift.type(of: record).controlType.rawValue, data: record.data(), meta: meta, time: time)
    // From the line itself, as readers do: a schema that was assumed here and not stated once made every later action
    // of a segment one of the old schema.
    if let header = record as? LogHeader {
      (encoded.schema, encoded.isSalted) = (header.schema, header.isSalted)
    } else if let open = record as? OpenRecord {
      encoded.schema = open.schema
      if open.isSalted { encoded.isSalted = true }
    }
  }

  private mutating func encode(type: String, data: [UInt8], meta: [UInt8]?, time: LogTime) throws(LogError) {
    let isControl = type.utf8.first == ControlType.prefix
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
    let revision = isControl ? encoded.revision : encoded.revision + 1
    guard revision <= LogFormat.revisionLimit else {
      throw LogError(.beyondLimit, "a log ends at seq \(LogFormat.revisionLimit)")
    }
    let metaCount = meta?.count ?? 0
    // Refuses a huge line before it is copied; the exact check follows below.
    guard data.count + metaCount <= LogFormat.lineLimitBytes else {
      throw DraftCheck.tooLong(type: type, data: data, meta: meta)
    }
    reserve(LineEncoder.sizeLimit(type: type.count, data: data.count, meta: metaCount))
    var encoder = encoder
    let (start, synced, prev) = (used, syncedRevision, encoded.crc)
    let salt = encoded.isSalted ? salts.take(from: makeSalts) : nil
    let line = bytes.withUnsafeMutableBytes { bytes in
      // The memory is not empty, so its address is not `nil`.
      encoder.write(
        revision: revision, time: time, type: type, synced: synced, prev: prev, salt: salt, data: data, meta: meta,
        to: bytes.baseAddress.unsafelyUnwrapped + start)
    }
    self.encoder = encoder
    guard line.size <= LogFormat.lineLimitBytes else { throw DraftCheck.tooLong(type: type, data: data, meta: meta) }
    used += line.size
    encoded.revision = revision
    encoded.crc = line.crc
    encoded.bytes += line.size
    if !isControl { encoded.holdsAction = true }
  }

  /// Reserves memory for a line.
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

  /// Removes and returns all queued lines.
  ///
  /// - Returns: `nil` if the queue is empty.
  mutating func take(spare: inout [UInt8]) -> Batch? {
    guard used > 0 else { return nil }
    swap(&bytes, &spare)
    let batch = Batch(bytes: spare, count: used, rolls: rolls, end: encoded)
    spare = []
    rolls = []
    used = 0
    return batch
  }

  mutating func releaseMemory() {
    guard used == 0 else { return }
    bytes = []
    typeText = []
    salts.releaseMemory()
  }

  mutating func rewind(to position: WriterPosition) {
    encoded = position
    header.first = position.segment
    used = 0
    rolls.removeAll()
  }
}

/// The end of a line that the writer has reached, or can roll back to.
package struct WriterPosition: Equatable, Sendable {
  package var revision: Int
  var crc: UInt32
  var segment: Int
  var created: LogTime
  var bytes: Int
  /// Whether the segment contains an action, so that another segment can follow it.
  var holdsAction: Bool
  /// The schema in force for the next action.
  var schema: Int
  /// Whether the next line of the segment has a salt.
  var isSalted = false
  /// The last unit of drafts.
  package var ordinal = 0

  package init(
    revision: Int, crc: UInt32, segment: Int, created: LogTime, bytes: Int, holdsAction: Bool, schema: Int,
    isSalted: Bool = false
  ) {
    self.revision = revision
    self.crc = crc
    self.segment = segment
    self.created = created
    self.bytes = bytes
    self.holdsAction = holdsAction
    self.schema = schema
    self.isSalted = isSalted
  }
}
