public import ActionLog
public import JSONCoding

/// An action as a projection sees it: with the revision, time and metadata of its record.
///
/// If an upcaster replaced the recorded action with several, each of them is applied, with the same revision. One that an upcaster
/// dropped, and one of an unknown type that is kept, is not applied at all.
///
/// Its coded form is that of the action alone.
public struct ProjectedAction<Action: Codable & Equatable & Sendable>: Sendable {
  /// The action, in the present schema.
  public let action: Action
  /// The properties of the record. Set after decoding.
  fileprivate(set) var stamp: RecordStamp

  /// Makes an action, for instance to test a projection.
  public init(_ action: Action, revision: Int, time: LogTime, meta: RecordMeta = RecordMeta()) {
    self.init(action, RecordStamp(revision: revision, time: time, meta: meta.bytes))
  }

  init(_ action: Action, _ stamp: RecordStamp = RecordStamp()) {
    self.action = action
    self.stamp = stamp
  }

  /// The revision that the action led to.
  public var revision: Int { stamp.revision }
  /// The time at which it was recorded.
  public var time: LogTime { stamp.time }
  /// The metadata of the action, parsed at each access.
  public var meta: RecordMeta { stamp.meta }
}

extension ProjectedAction: Equatable {
  /// Whether action, revision, time and metadata are the same.
  public static func == (first: ProjectedAction, second: ProjectedAction) -> Bool {
    first.action == second.action && first.revision == second.revision && first.time == second.time
      && first.stamp.metaBytes == second.stamp.metaBytes
  }
}

extension ProjectedAction: Codable {
  /// Decodes the action. Revision, time and metadata are those of no record.
  public init(from decoder: any Decoder) throws {
    self.init(try Action(from: decoder))
  }

  /// Encodes the action alone.
  public func encode(to encoder: any Encoder) throws {
    try action.encode(to: encoder)
  }
}

/// The properties of a record that an action alone does not have.
struct RecordStamp: Sendable {
  /// The revision that the action led to; 0 until it is set.
  private(set) var revision = 0
  private(set) var time = LogTime(microseconds: 0)
  /// The position of the metadata in `bytes`; empty if there is none.
  private var metaStart: Int32 = 0
  private var metaEnd: Int32 = 0
  /// The memory that holds the metadata: that of a batch of records, so that no record's metadata is copied.
  private var bytes: [UInt8] = []

  init() {}

  init(revision: Int, time: LogTime, meta: [UInt8]?) {
    self.revision = revision
    self.time = time
    guard let meta else { return }
    bytes = meta
    metaEnd = Int32(clamping: meta.count)
  }

  init(_ record: LogRecord) {
    self.init(revision: record.revision, time: record.time, meta: record.meta)
  }

  /// Refers to a record of a batch. Only metadata keeps the memory of the batch alive.
  init(_ entry: RecordEntry, in bytes: [UInt8]) {
    revision = entry.revision
    time = entry.time
    guard let range = entry.metaRange else { return }
    self.bytes = bytes
    metaStart = Int32(truncatingIfNeeded: range.lowerBound)
    metaEnd = Int32(truncatingIfNeeded: range.upperBound)
  }

  /// The encoded metadata; `nil` if there is none.
  var metaBytes: ArraySlice<UInt8>? { metaEnd > metaStart ? bytes[Int(metaStart)..<Int(metaEnd)] : nil }

  /// The metadata; empty if there is none.
  var meta: RecordMeta {
    guard let metaBytes else { return RecordMeta() }
    do {
      guard case .object(let object) = try JSONValue(parsing: metaBytes) else { return RecordMeta() }
      return RecordMeta(object)
    } catch {
      // Impossible: the bytes were checked when the line was read or written.
      return RecordMeta()
    }
  }
}

/// A type of actions that carry the properties of their records. Only ``ProjectedAction`` adopts it.
private protocol StampedAction {
  /// The offset of the ``RecordStamp`` in a value of the type.
  static var stampOffset: Int { get }
}

extension ProjectedAction: StampedAction {
  fileprivate static var stampOffset: Int { layout.stamp }

  private static var layout: (action: Int, stamp: Int) {
    guard let action = MemoryLayout<Self>.offset(of: \.action), let stamp = MemoryLayout<Self>.offset(of: \.stamp)
    else {
      preconditionFailure("a stored property of a struct has an offset")
    }
    return (action, stamp)
  }
}

/// Sets the properties of records in decoded actions. Looked up once for a decoder; plain models have none, so that they pay nothing.
///
/// The properties are written at their offset, without generic code for each action (benchmark `projection catch-up`).
struct ActionStamping<Action: Sendable>: Sendable {
  private let offset: Int

  /// Looks up whether actions of the type are stamped; `nil` if they are not.
  init?() {
    guard let type = Action.self as? any StampedAction.Type else { return nil }
    offset = type.stampOffset
  }

  func stamp(_ actions: inout [Action], with stamp: RecordStamp) {
    write(stamp, to: 0..<actions.count, of: &actions)
  }

  /// Sets the properties of each record of a batch in its actions, as far as they were decoded.
  func stamp(_ batch: inout ActionBatch<Action>, within bounds: FoldBounds) {
    let records = batch.records
    let exceptions = batch.exceptions
    var nextException = 0
    let limit = batch.actions.count
    batch.actions.withUnsafeMutableBufferPointer { actions in
      guard let base = actions.baseAddress.map({ base in UnsafeMutableRawPointer(base) + offset }) else { return }
      var next = 0
      for (index, entry) in records.entries.enumerated() where bounds.isFolded(entry) {
        var count = 1
        if nextException < exceptions.count, exceptions[nextException].record == index {
          let exception = exceptions[nextException]
          nextException += 1
          count = exception.count
        }
        // The actions end before the first record that cannot be decoded.
        guard next + count <= limit else { return }
        for position in next..<next + count {
          // The offset is that of an initialized stamp in an initialized action.
          (base + position * MemoryLayout<Action>.stride).assumingMemoryBound(to: RecordStamp.self).pointee =
            RecordStamp(entry, in: records.bytes)
        }
        next += count
      }
    }
  }

  private func write(_ stamp: RecordStamp, to range: Range<Int>, of actions: inout [Action]) {
    actions.withUnsafeMutableBufferPointer { actions in
      guard let base = actions.baseAddress else { return }
      for index in range {
        (UnsafeMutableRawPointer(base + index) + offset).assumingMemoryBound(to: RecordStamp.self).pointee = stamp
      }
    }
  }
}

// The generated code of the action reads it directly into the larger value, so that it is not copied.

extension ProjectedAction: DirectCodable where Action: DirectAction {
  /// Writes the action alone.
  public func write(directly writer: inout DirectWriter) { action.write(directly: &writer) }

  /// Reads an action.
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self.init(try Action(directly: &reader))
  }

  /// The shape of the action.
  public static var directShape: DirectShape { Action.directShape }
}

extension ProjectedAction: DirectAction where Action: DirectAction {
  /// Writes the case path of the action.
  public func writeType(directly writer: inout DirectWriter) { action.writeType(directly: &writer) }

  /// Writes the values of the action.
  public func writeData(directly writer: inout DirectWriter) { action.writeData(directly: &writer) }

  /// Reads an action from its case path and its values.
  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self.init(try Action(type: &type, data: &data))
  }

  /// The functions of the action, at its offset.
  public static var directCalls: DirectCalls {
    let calls = Action.directCalls
    let layout = layout
    return DirectCalls(
      write: { address, writer in calls.write(address + layout.action, &writer) },
      read: { type, data, strings, address in
        let size = calls.read(type, data, strings, address + layout.action)
        // The value is initialized once both of its properties are.
        if size > 0 { (address + layout.stamp).initializeMemory(as: RecordStamp.self, to: RecordStamp()) }
        return size
      })
  }
}
