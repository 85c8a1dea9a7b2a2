import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Interchange
import JSONCoding

/// A text of another program, and the log imported from it.
struct FuzzedExchange {
  private static let environment = LogEnvironment(
    now: { .earliest }, makeLogID: { "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11" }, processID: 1, hostName: "fuzz",
    program: "fuzz")

  /// Checks CloudEvents: an accepted text gives a valid log, whose export gives the same actions when it is imported
  /// again.
  static func checkEvents(_ input: [UInt8]) throws(FuzzFlaw) {
    guard let actions = FuzzFlaw.accepted({ try events(input) }), let log = try imported(actions) else { return }
    let written = try FuzzFlaw.never("not exported") { try exportedEvents(of: log) }
    let again = try FuzzFlaw.never("exported as what is not imported") { try events(written) }
    try FuzzFlaw.unless(again.count == log.actions.count, "\(again.count) actions of \(log.actions.count)")
    guard let copy = try imported(again) else { throw FuzzFlaw(message: "exported as what makes no log") }
    try FuzzFlaw.unless(copy.said == log.said, "imported again it says something else")
  }

  /// Checks a file of Redux DevTools in the same way.
  static func checkDevTools(_ input: [UInt8]) throws(FuzzFlaw) {
    guard let source = FuzzFlaw.accepted({ try ReduxDevToolsImport(parsing: input) }),
      let actions = FuzzFlaw.accepted({ try self.actions(of: source) }),
      let log = try imported(actions, base: source.base)
    else { return }
    let written = try FuzzFlaw.never("not exported") { try exportedState(of: log, base: source.base) }
    let again = try FuzzFlaw.never("exported as what is not imported") { try ReduxDevToolsImport(parsing: written) }
    try FuzzFlaw.unless(again.base == source.base, "another state to begin with")
    let copied = try FuzzFlaw.never("an action is exported as what is none") { try self.actions(of: again) }
    try FuzzFlaw.unless(
      copied.map(\.isSkipped) == actions.map(\.isSkipped) && copied.map(\.type) == actions.map(\.type),
      "other actions, or others skipped")
    try FuzzFlaw.unless(copied.map(\.data) == actions.map(\.data), "other values")
    guard let copy = try imported(copied, base: again.base) else {
      throw FuzzFlaw(message: "exported as what makes no log")
    }
    try FuzzFlaw.unless(copy.types == log.types, "imported again it has other records")
  }

  // MARK: - In

  private static func events(_ input: [UInt8]) throws(InterchangeError) -> [ImportedAction] {
    var source = CloudEventsImport()
    var actions: [ImportedAction] = []
    for line in input.split(separator: 10, omittingEmptySubsequences: false) {
      if let action = try source.next(line) { actions.append(action) }
    }
    return actions
  }

  private static func actions(of source: ReduxDevToolsImport) throws(InterchangeError) -> [ImportedAction] {
    var actions: [ImportedAction] = []
    for index in 0..<source.count { actions.append(try source.action(at: index)) }
    return actions
  }

  /// Imports actions into a log and verifies it; returns `nil` if they are refused.
  private static func imported(_ actions: [ImportedAction], base: [UInt8]? = nil) throws(FuzzFlaw) -> Imported? {
    let files = MemoryFileSystem()
    let made: Void? = FuzzFlaw.accepted {
      var log = try LogImport(
        to: "/log", model: "fuzz", schema: 1, base: base, fileSystem: files, environment: environment)
      for action in actions { try log.append(action) }
      try log.finish()
    }
    guard made != nil else { return nil }
    let report = try FuzzFlaw.never("a log that is none") { try LogVerifier.verify(at: "/log", fileSystem: files) }
    try FuzzFlaw.unless(report.verdict == .clean, "a log that does not check: \(report.problems)")
    return try FuzzFlaw.never("a log that is not read") { () throws(LogError) in
      let reader = try LogReader.open(at: "/log", fileSystem: files)
      var records = try reader.records()
      var all: [LogRecord] = []
      while let record = try records.next() { all.append(record) }
      return Imported(header: reader.header, records: all)
    }
  }

  // MARK: - Out

  private static func exportedEvents(of log: Imported) throws(JSONError) -> [UInt8] {
    var export = CloudEventsExport(log.header)
    var bytes: [UInt8] = []
    for record in log.records { try export.append(record, into: &bytes) }
    return bytes
  }

  private static func exportedState(of log: Imported, base: [UInt8]?) throws(JSONError) -> [UInt8] {
    var export = ReduxDevToolsExport(log.header)
    var bytes: [UInt8] = []
    export.begin(into: &bytes)
    for record in log.records { try export.append(record, into: &bytes) }
    export.endActions(into: &bytes)
    if let base { try export.append(base: base, into: &bytes) }
    export.end(into: &bytes)
    return bytes
  }
}

/// The records of an imported log.
private struct Imported {
  /// The contents of an action, without its origin.
  struct Said: Equatable {
    var time: LogTime
    var type: String
    var data: [UInt8]
  }

  let header: LogHeader
  let records: [LogRecord]

  var actions: [LogRecord] { records.filter { record in !record.isControl } }
  var types: [String] { records.map(\.type) }
  var said: [Said] { actions.map { record in Said(time: record.time, type: record.type, data: record.data) } }
}
