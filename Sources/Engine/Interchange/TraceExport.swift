public import ActionLog
public import JSONCoding

/// An export of actions as a trace for Perfetto and `chrome://tracing`: an instant event for each action, on one track per actor.
///
/// - SeeAlso: Trace Event Format, "JSON Object Format" and "Instant Events".
public struct TraceExport: RecordExport {
  /// The maximum number of tracks. Further actors share the track of actions without an actor.
  static let trackLimit = 1_000

  private let header: LogHeader
  private var tracks: [ExactName: Int] = [:]
  private var isFirst = true

  /// Creates an export.
  public init(_ header: LogHeader) {
    self.header = header
  }

  /// Writes the names of the process and of the track for actions without an actor.
  public mutating func begin(into output: inout [UInt8]) {
    output += #"{"displayTimeUnit":"ms","otherData":"#.utf8
    var other = ObjectWriter(&output)
    other.member("log", header.log, into: &output)
    other.member("model", header.model, into: &output)
    other.end(&output)
    output += #","traceEvents":["#.utf8
    appendName("process_name", header.model, track: 0, into: &output)
    appendName("thread_name", "actions", track: 0, into: &output)
  }

  /// Writes an instant event, preceded by the track's name if the track is new.
  public mutating func append(_ record: LogRecord, into output: inout [UInt8]) throws(JSONError) {
    guard !record.isControl else { return }
    let track = try track(of: record, into: &output)
    begin(&output)
    var event = ObjectWriter(&output)
    event.member("name", record.type, into: &output)
    event.member("cat", "action", into: &output)
    event.member("ph", "i", into: &output)
    // The event's scope: its thread.
    event.member("s", "t", into: &output)
    event.member("ts", record.time.microseconds, into: &output)
    event.member("pid", 1, into: &output)
    event.member("tid", track, into: &output)
    event.name("args", into: &output)
    var arguments = ObjectWriter(&output)
    arguments.member("seq", record.revision, into: &output)
    arguments.member("data", json: record.dataBytes, into: &output)
    if let meta = record.meta { arguments.member("meta", json: meta, into: &output) }
    arguments.end(&output)
    event.end(&output)
  }

  /// Writes the end of the document.
  public mutating func end(into output: inout [UInt8]) {
    output += "\n]}\n".utf8
  }

  private mutating func track(of record: LogRecord, into output: inout [UInt8]) throws(JSONError) -> Int {
    guard case .string(let actor)? = try record.metaObject()?["actor"] else { return 0 }
    if let track = tracks[ExactName(actor)] { return track }
    guard tracks.count < Self.trackLimit else { return 0 }
    let track = tracks.count + 1
    tracks[ExactName(actor)] = track
    appendName("thread_name", actor, track: track, into: &output)
    return track
  }

  private mutating func appendName(_ event: String, _ name: String, track: Int, into output: inout [UInt8]) {
    begin(&output)
    var writer = ObjectWriter(&output)
    writer.member("name", event, into: &output)
    writer.member("ph", "M", into: &output)
    writer.member("pid", 1, into: &output)
    writer.member("tid", track, into: &output)
    writer.member("args", ["name": .string(name)], into: &output)
    writer.end(&output)
  }

  private mutating func begin(_ output: inout [UInt8]) {
    output += (isFirst ? "\n" : ",\n").utf8
    isFirst = false
  }
}
