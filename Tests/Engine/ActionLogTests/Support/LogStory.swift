internal import ActionLog
import ActionLogMaintenance
internal import ActionLogTesting
internal import Testing

/// A log in memory, with verbs for tests.
struct LogStory {
  static let path = "/log"

  let files: MemoryFileSystem
  var configuration: LogConfiguration
  /// The file system of writers and readers: `files`, unless a test wraps it in a faulty one.
  var door: any LogFileSystem

  init(
    _ files: MemoryFileSystem = MemoryFileSystem(),
    durability: Durability = .synced,
    segmentLimitBytes: Int = LogConfiguration.defaultSegmentLimitBytes
  ) {
    self.files = files
    door = files
    configuration = LogConfiguration(
      durability: durability, segmentLimitBytes: segmentLimitBytes, environment: .test())
  }

  func open(model: String = "counter", schema: Int = 1) throws -> LogWriter {
    try LogWriter.open(at: LogStory.path, model: model, schema: schema, fileSystem: door, configuration: configuration)
  }

  func reader() throws -> LogReader {
    try LogReader.open(at: LogStory.path, fileSystem: door)
  }

  /// Records the actions 1…count, each in its own batch. Closes the log, or abandons the writer.
  func record(_ count: Int, from first: Int = 1, close: Bool = true) throws {
    let writer = try open()
    for number in first..<(first + count) { try writer.appendNow([.numbered(number)]) }
    if close { try writer.closeNow() } else { writer.abandon() }
  }
}

// MARK: - Files

extension LogStory {
  /// Returns the path of a segment.
  func segment(_ first: Int = 1) -> String {
    LogStory.path + "/" + String(repeating: "0", count: 16 - String(first).count) + "\(first).jsonl"
  }

  var head: String { LogStory.path + "/HEAD" }

  func bytes(_ first: Int = 1) throws -> [UInt8] { try files.contents(of: segment(first)) }

  func text(_ first: Int = 1) throws -> String { String(decoding: try bytes(first), as: UTF8.self) }

  /// Returns the lines of a segment, without their line feeds.
  func lines(_ first: Int = 1) throws -> [String] {
    try text(first).split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
  }

  /// Returns the start of each line of a segment, and the length of the file.
  func lineOffsets(_ first: Int = 1) throws -> [Int] {
    var offsets = [0]
    for (index, byte) in try bytes(first).enumerated() where byte == UInt8(ascii: "\n") { offsets.append(index + 1) }
    return offsets
  }

  /// Changes the bytes of a segment, like a user or a failing device.
  func change(_ first: Int = 1, _ body: (inout [UInt8]) throws -> Void) throws {
    var bytes = try bytes(first)
    try body(&bytes)
    try files.setContents(bytes, of: segment(first))
  }

  /// Flips the lowest bit of a byte.
  func flipByte(_ offset: Int, of first: Int = 1) throws {
    try files.flipBit(0, ofByte: offset, in: segment(first))
  }

  /// Flips a bit in the middle of a line. The first line is 0.
  func flipLine(_ line: Int, of first: Int = 1) throws {
    let offsets = try lineOffsets(first)
    try flipByte((offsets[line] + offsets[line + 1]) / 2, of: first)
  }

  /// Writes a control character into the middle of a line. Repeating it changes nothing.
  func breakLine(_ line: Int, of first: Int = 1) throws {
    let offsets = try lineOffsets(first)
    try change(first) { bytes in bytes[(offsets[line] + offsets[line + 1]) / 2] = 1 }
  }

  func removeHead() throws { try files.remove(head) }
}

// MARK: - Reading

extension LogStory {
  /// Returns the numbers in the actions of a log, and how it ends.
  func read(from revision: Int = 0) throws -> (actions: [Int], ending: LogEnding?) {
    var records = try reader().records(from: revision)
    var actions: [Int] = []
    do {
      while let record = try records.next() {
        if !record.isControl { actions.append(record.number) }
      }
    } catch {
      guard records.ending?.damage != nil else { throw error }
    }
    return (actions, records.ending)
  }

  /// Returns the types of all records.
  func types() throws -> [String] {
    var records = try reader().records()
    var types: [String] = []
    while let record = try records.next() { types.append(record.type) }
    return types
  }
}

extension LogDraft {
  /// Returns the draft of the action `add(number)`.
  static func numbered(_ number: Int, time: LogTime? = nil) -> LogDraft {
    LogDraft(type: "add", data: Array(#"{"_0":\#(number)}"#.utf8), time: time)
  }
}

extension LogRecord {
  /// The first number in an action of ``LogDraft/numbered(_:time:)``; -1 for any other action.
  var number: Int {
    let digits = dataBytes.dropFirst(#"{"_0":"#.utf8.count).prefix { byte in (0x30...0x39).contains(byte) }
    return Int(String(decoding: digits, as: UTF8.self)) ?? -1
  }
}

extension LogStory {
  /// Expects that the log is damaged after an action: opening, reading and verifying report it, and nothing is
  /// truncated.
  func expectDamage(after lastRevision: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let before = try bytes()
    let error = #expect(throws: LogError.self, sourceLocation: sourceLocation) { try open() }
    #expect(error?.code == .damaged, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(error?.revision == lastRevision + 1, sourceLocation: sourceLocation)
    #expect(try bytes() == before, "nothing is cut", sourceLocation: sourceLocation)
    let extent = try reader().extent()
    #expect(extent.lastRevision == lastRevision, sourceLocation: sourceLocation)
    #expect(extent.ending.damage?.revision == lastRevision + 1, sourceLocation: sourceLocation)
    #expect(
      try LogVerifier.verify(at: LogStory.path, fileSystem: files).verdict == .damaged, sourceLocation: sourceLocation
    )
  }

  /// Expects that the log has a torn tail after an action: reading and verifying report it, and a writer moves it to
  /// the quarantine.
  func expectTorn(after lastRevision: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: files)
    #expect(report.verdict == .torn, sourceLocation: sourceLocation)
    guard case .torn(let size, let place) = try reader().extent().ending else {
      Issue.record("not torn", sourceLocation: sourceLocation)
      return
    }
    #expect(report.tornBytes == size, sourceLocation: sourceLocation)
    let writer = try open()
    #expect(writer.opening.recovered?.bytes == size, sourceLocation: sourceLocation)
    #expect(writer.opening.lastRevision == lastRevision, sourceLocation: sourceLocation)
    let kept = LogStory.path + "/" + (writer.opening.recovered?.file ?? "")
    #expect(try files.contents(of: kept).count == size, sourceLocation: sourceLocation)
    try writer.closeNow()
    #expect(try bytes()[..<place.byteOffset].last == UInt8(ascii: "\n"), sourceLocation: sourceLocation)
    #expect(
      try LogVerifier.verify(at: LogStory.path, fileSystem: files).verdict == .clean, sourceLocation: sourceLocation)
  }
}
