import ActionLog
import ActionLogTesting
import Interchange
import JSONCoding
import Testing

/// A log in memory, made of drafts.
struct MadeLog {
  static let created = "2026-11-21T09:00:00.000000Z"
  static let identifier = "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"

  let files = MemoryFileSystem()
  let path = "/log"

  static let environment = LogEnvironment(
    now: { LogTime(parsing: created) ?? .earliest }, makeLogID: { identifier }, processID: 1, hostName: "mac",
    program: "test")

  init(_ drafts: [LogDraft], model: String = "counter") throws {
    let writer = try LogWriter.open(
      at: path, model: model, schema: 1, fileSystem: files,
      configuration: LogConfiguration(durability: .written, environment: Self.environment))
    for draft in drafts { _ = try writer.writeNow([draft]) }
    try writer.closeNow()
  }

  /// Creates the log that an import of the actions produces.
  init(importing actions: [ImportedAction], base: [UInt8]? = nil) throws {
    var log = try LogImport(
      to: path, model: "counter", schema: 1, base: base, fileSystem: files, environment: Self.environment)
    for action in actions { try log.append(action) }
    try log.finish()
  }

  func reader() throws -> LogReader { try LogReader.open(at: path, fileSystem: files) }

  func records() throws -> [LogRecord] {
    var records = try reader().records()
    var all: [LogRecord] = []
    while let record = try records.next() { all.append(record) }
    if case .closed? = records.ending {} else { Issue.record("\(String(describing: records.ending))") }
    return all
  }

  var actions: [LogRecord] {
    get throws { try records().filter { record in !record.isControl } }
  }

  /// Returns the export of all records.
  func exported(_ export: CloudEventsExport) throws -> [UInt8] {
    var export = export
    var bytes: [UInt8] = []
    for record in try records() { try export.append(record, into: &bytes) }
    return bytes
  }

  /// Returns the lifted state, with the given states.
  func lifted(states: [String] = []) throws -> [UInt8] {
    var export = ReduxDevToolsExport(try reader().header)
    var bytes: [UInt8] = []
    export.begin(into: &bytes)
    for record in try records() { try export.append(record, into: &bytes) }
    export.endActions(into: &bytes)
    for state in states { try export.append(state: Array(state.utf8), into: &bytes) }
    export.end(into: &bytes)
    return bytes
  }
}

extension LogDraft {
  init(_ type: String, _ data: String = "{}", meta: String? = nil, time: String = "2026-11-21T09:00:05.123456Z") {
    self.init(
      type: type, data: Array(data.utf8), meta: meta.map { text in Array(text.utf8) }, time: LogTime(parsing: time))
  }
}

extension LogRecord {
  /// The contents of each action, independent of its position.
  var said: [String] {
    [type, String(decoding: data, as: UTF8.self), meta.map { meta in String(decoding: meta, as: UTF8.self) } ?? "-"]
      + [time.description, String(schema)]
  }
}

/// Returns all actions of a Redux DevTools file.
func reduxActions(_ bytes: [UInt8]) throws -> [ImportedAction] {
  let source = try ReduxDevToolsImport(parsing: bytes)
  return try (0..<source.count).map { index in try source.action(at: index) }
}

/// Returns all actions of CloudEvents lines.
func cloudEventActions(_ lines: [ArraySlice<UInt8>]) throws -> [ImportedAction] {
  var source = CloudEventsImport()
  return try lines.compactMap { line in try source.next(line) }
}
