import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import AnimalsData

/// The files of a log, encoded in one text.
///
/// A line with a commit mark is copied unchanged. A line that begins with `{` and has no commit mark gets one, and
/// each `PREV` in it is replaced by the checksum of the preceding line, so that mutations reach further than the checksum.
/// `#ROLL n` begins the segment of action *n*, `#HEAD text` sets the contents of the file `HEAD`, `#CUT` removes the
/// last line feed, and any other line is copied unchanged as noise.
struct FuzzedLog {
  static let path = "/log"
  /// The first line of a log.
  static let header = Array(
    """
    {"seq":0,"time":"2026-11-21T09:00:00.000000Z","type":"@segment","synced":0,"prev":"00000000","data":\
    {"format":"actionlog/1","log":"3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11","model":"animals","schema":1,"first":1,\
    "epoch":1,"created":"2026-11-21T09:00:00.000000Z"}

    """.utf8)

  let files = MemoryFileSystem()
  private var segment: [UInt8] = []
  private var first = 1

  init(_ input: [UInt8]) {
    var prev: UInt32 = 0
    let lines = input.split(separator: 10, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let feed: [UInt8] = index == lines.count - 1 ? [] : [10]
      if line.starts(with: "#ROLL ".utf8) {
        let number = Int(String(decoding: line.dropFirst(6).prefix(15), as: UTF8.self)) ?? 2
        save()
        (first, segment) = (max(1, number), [])
      } else if line.starts(with: "#HEAD ".utf8) {
        set(Array(line.dropFirst(6)) + [10], "HEAD")
      } else if line == ArraySlice("#CUT".utf8) {
        if segment.last == 10 { segment.removeLast() }
      } else if line.first == UInt8(ascii: "{"), !CommitMark.isIntact(Array(line) + [10]), !feed.isEmpty {
        var body = Self.chained(Array(line), prev)
        CommitMark.append(to: &body)
        segment += body
      } else {
        segment += line + feed
      }
      prev = Self.checksum(atEndOf: segment) ?? prev
    }
    save()
  }

  private func save() {
    let digits = String(first)
    set(segment, String(repeating: "0", count: 16 - digits.count) + digits + ".jsonl")
  }

  private func set(_ bytes: [UInt8], _ name: String) {
    do { try files.setContents(bytes, of: Self.path + "/" + name) } catch { fatalError("a disk in memory: \(error)") }
  }

  private static func chained(_ line: [UInt8], _ prev: UInt32) -> [UInt8] {
    let (name, checksum) = (Array("PREV".utf8), Array(ChecksumDigits.text(prev).utf8))
    var (chained, rest) = ([UInt8](), line[...])
    // All of them: a record whose data has the word would be read differently after it was written.
    while let byte = rest.first {
      let isName = rest.starts(with: name)
      chained += isName ? checksum : [byte]
      rest = rest.dropFirst(isName ? name.count : 1)
    }
    return chained
  }

  private static func checksum(atEndOf segment: [UInt8]) -> UInt32? {
    ChecksumDigits.parse(segment.suffix(ChecksumDigits.count + 3).prefix(ChecksumDigits.count))
  }
}

// MARK: - What must hold

extension FuzzedLog {
  /// The result of reading the log.
  struct Reading {
    var records: [LogRecord] = []
    /// The kind of the end, in one word.
    var ending = ""
    var actions: [LogRecord] { records.filter { record in !record.isControl } }
    var isWhole: Bool { ending == "clean" || ending == "closed" }
  }

  func check() throws(FuzzFlaw) {
    let reading = try read()
    try checkBatches(reading)
    let report = FuzzFlaw.accepted { try LogVerifier.verify(at: Self.path, fileSystem: files) }
    if reading.isWhole {
      try FuzzFlaw.unless(report?.verdict == .clean, "read to its end, and verify says \(String(describing: report))")
    } else if let report, !reading.ending.hasPrefix("refused") {
      try FuzzFlaw.unless(report.verdict != .clean, "verify calls clean what reading calls \(reading.ending)")
    }
    try checkSalvage(reading)
    try checkWriter(reading)
  }

  /// Reads to the end, record by record.
  func read() throws(FuzzFlaw) -> Reading {
    var reading = Reading()
    guard
      var records = FuzzFlaw.accepted({
        try LogReader.open(at: Self.path, fileSystem: files).records(chunkBytes: 16_384)
      })
    else {
      reading.ending = "refused"
      return reading
    }
    do {
      while let record = try records.next() { reading.records.append(record) }
    } catch {
      try FuzzFlaw.unless(records.ending != nil, "reading ends with \(error) and no ending")
    }
    switch records.ending {
    case .clean: reading.ending = "clean"
    case .closed: reading.ending = "closed"
    case .torn: reading.ending = "torn"
    case .damaged(let error): reading.ending = "damaged (\(error.code))"
    case nil: throw FuzzFlaw(message: "reading has no ending")
    }
    return reading
  }

  /// Checks that batches have the same records, and the same actions as `Codable`.
  private func checkBatches(_ reading: Reading) throws(FuzzFlaw) {
    guard let reader = FuzzFlaw.accepted({ try LogReader.open(at: Self.path, fileSystem: files) }) else { return }
    let codable = ActionCoder<AnimalsAction>.codable
    guard let batches = FuzzFlaw.accepted({ try reader.batches(from: 0) }) else { return }
    var iterator = ActionBatchIterator(batches, ActionCoder<AnimalsAction>())
    var index = 0
    while let batch = FuzzFlaw.accepted({ try iterator.next() }) ?? nil {
      var actions = batch.actions[...]
      for (number, entry) in batch.records.entries.enumerated() {
        try FuzzFlaw.unless(index < reading.records.count, "batches have more records than there are")
        let record = reading.records[index]
        try FuzzFlaw.unless(batch.records.record(at: number) == record, "record \(index) is another one in batches")
        index += 1
        guard entry.isActionRead else { continue }
        let action = actions.popFirst()
        let expected = FuzzFlaw.accepted { try codable.decode(record) }
        try FuzzFlaw.unless(action != nil && action == expected, "action \(record.revision) is read as another one")
      }
    }
    try FuzzFlaw.unless(index == reading.records.count, "batches have \(index) of \(reading.records.count) records")
  }

  /// Checks that a salvage gives a clean log with the intact actions.
  private func checkSalvage(_ reading: Reading) throws(FuzzFlaw) {
    let report = FuzzFlaw.accepted {
      try LogSalvage.salvage(at: Self.path, to: "/copy", fileSystem: files, environment: .fuzzing)
    }
    guard let report else { return }
    let verdict = FuzzFlaw.accepted { try LogVerifier.verify(at: "/copy", fileSystem: files).verdict }
    try FuzzFlaw.unless(verdict == .clean, "what was salvaged is \(String(describing: verdict))")
    try FuzzFlaw.unless(
      report.lastRevision >= reading.actions.count || reading.actions.first?.revision != 1,
      "\(report.lastRevision) of \(reading.actions.count) actions were salvaged")
  }

  /// Checks that a writer refuses the log, or continues after all readable records, or after damage that opening a log
  /// does not search for.
  private func checkWriter(_ reading: Reading) throws(FuzzFlaw) {
    let configuration = LogConfiguration(environment: .fuzzing)
    let schema = reading.records.map(\.schema).max() ?? 1
    let extent = FuzzFlaw.accepted { try LogReader.open(at: Self.path, fileSystem: files).extent() }
    let writer = FuzzFlaw.accepted {
      try LogWriter.open(
        at: Self.path, model: "animals", schema: max(1, schema), fileSystem: files, configuration: configuration)
    }
    guard let writer else { return }
    let isReadToItsEnd = reading.isWhole || reading.ending == "torn"
    // Opening checks only the boundaries of sealed segments; readers find damage in between, before and after the
    // append.
    try FuzzFlaw.unless(
      isReadToItsEnd || extent?.ending.damage == nil, "a writer goes on where reading says \(reading.ending)")
    try FuzzFlaw.never("the log is not closed") { try writer.closeNow() }
    let after = try read()
    let wanted = isReadToItsEnd ? "closed" : reading.ending
    try FuzzFlaw.unless(after.ending == wanted, "closed, and then \(after.ending)")
    try FuzzFlaw.unless(after.actions == reading.actions, "a writer changed the actions that could be read")
  }
}

extension LogEnvironment {
  /// Surroundings with which each run writes the same bytes.
  static let fuzzing = LogEnvironment(
    now: { LogTime(microseconds: 1_795_251_600_000_000) }, makeLogID: { "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11" },
    processID: 1, hostName: "host", program: "fuzz", schedule: { _, _ in {} })
}

// MARK: - Files

extension FuzzEntry {
  /// Returns the files of the log that an input of ``segment`` encodes, by name.
  package static func logFiles(of input: [UInt8]) -> [String: [UInt8]] {
    let log = FuzzedLog(input)
    var files: [String: [UInt8]] = [:]
    do {
      for name in try log.files.names(in: FuzzedLog.path) {
        files[name] = try log.files.contents(of: FuzzedLog.path + "/" + name)
      }
    } catch {
      fatalError("a disk in memory: \(error)")
    }
    return files
  }
}
