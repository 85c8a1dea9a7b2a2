import ActionLog

/// One line of a log without its commit mark; `PREV` is replaced by the checksum of the preceding line.
struct FuzzedLine {
  let body: [UInt8]

  init(_ input: [UInt8]) { body = Array(input.prefix { byte in byte != 10 }) }

  func check() throws(FuzzFlaw) {
    let line = try Self.reading(of: body)
    // With a space after the brace, the general parser reads the line instead of the fast one. If the line already has
    // a commit mark, the mark becomes invalid, and so it is a different line.
    if body.first == UInt8(ascii: "{"), !CommitMark.isIntact(body + [10]) {
      let spaced = try Self.reading(of: [UInt8(ascii: "{"), UInt8(ascii: " ")] + body.dropFirst())
      try FuzzFlaw.unless(line.ending == spaced.ending, "quickly \(line.ending), slowly \(spaced.ending)")
      try FuzzFlaw.unless(
        line.record.map(Contents.init) == spaced.record.map(Contents.init), "the two parsers read different records")
    }
    guard let record = line.record else { return }
    let written = Self.body(of: record)
    let again = try Self.reading(of: written)
    try FuzzFlaw.unless(again.record.map(Contents.init) == Contents(record), "written as another record")
    if let record = again.record {
      try FuzzFlaw.unless(Self.body(of: record) == written, "written otherwise the second time")
    }
  }

  /// The contents of a record, independent of its position.
  struct Contents: Equatable {
    var numbers: [Int]
    var time: LogTime
    var texts: [[UInt8]?]

    init(_ record: LogRecord) {
      numbers = [record.revision, record.synced, Int(record.prev), record.schema]
      time = record.time
      texts = [Array(record.type.utf8), record.data, record.meta]
    }
  }

  /// Returns a record in the writer's form, without its commit mark.
  static func body(of record: LogRecord) -> [UInt8] {
    var line: [UInt8] = []
    var encoder = LineEncoder()
    _ = encoder.append(
      revision: record.revision, time: record.time, type: record.type, synced: record.synced, prev: record.prev,
      data: record.data, meta: record.meta, to: &line)
    return Array(line.dropLast(CommitMark.sizeBytes))
  }

  private static func reading(of body: [UInt8]) throws(FuzzFlaw) -> (record: LogRecord?, ending: String) {
    let log = FuzzedLog(FuzzedLog.header + body + [10])
    let reading = try log.read()
    return (reading.records.count > 1 ? reading.records[1] : nil, reading.ending)
  }
}
