import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import JSONCoding
import Platform
import TestSupport
import Testing

/// A redactable log in memory, written with random contents in several segments, and random redactions of it.
struct RedactableStory {
  /// A line of the log before any redaction.
  struct Line {
    var index: Int
    var segment: Int
    var revision: Int
    var type: String
    var bytes: [UInt8]
    var salt: [UInt8]?
  }

  /// A value that a redaction removes.
  struct Removed {
    /// The strings in it.
    var texts: [String] = []
    /// The salts of the line, and of the value within it, in base64.
    var salts: [String] = []
  }

  var story: LogStory
  private(set) var lines: [Line] = []
  private var random: SeededGenerator
  private var secretCount = 0
  private let seed: UInt64

  /// Records actions in two sessions, and closes the log.
  ///
  /// - Parameters:
  ///   - seed: Print it if a test fails.
  ///   - count: The number of actions.
  init(seed: UInt64, count: Int = 10, segmentLimitBytes: Int = 1_100) throws {
    story = LogStory(segmentLimitBytes: segmentLimitBytes)
    story.configuration.redactable = true
    random = SeededGenerator(seed: seed)
    self.seed = seed
    for part in [count / 2, count - count / 2] {
      let writer = try story.open()
      for _ in 0..<part {
        let meta = Bool.random(using: &random) ? Array(#"{"actor":"\#(secret())"}"#.utf8) : nil
        try writer.appendNow([LogDraft(type: "add", data: object(depth: 2).bytes(), meta: meta)])
      }
      try writer.closeNow()
    }
    lines = try readLines()
  }

  /// A text that occurs once.
  private mutating func secret() -> String {
    secretCount += 1
    return "secret-\(seed)-\(secretCount)-" + String(UInt32.random(in: .min ... .max, using: &random), radix: 36)
  }

  private mutating func object(depth: Int) -> JSONValue {
    var object = JSONObject()
    object["name"] = .string(secret())
    for number in 0..<Int.random(in: 1...3, using: &random) { object["m\(number)"] = value(depth: depth - 1) }
    return .object(object)
  }

  private mutating func value(depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
    case 0, 1: .string(secret())
    case 2: .number(JSONNumber(Int.random(in: 1...9_999, using: &random)))
    case 3: .bool(true)
    case 4: .null
    case 5: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth - 1) })
    default: object(depth: depth)
    }
  }

  // MARK: Reading

  /// Reads the lines again, after records were appended.
  mutating func reread() throws { lines = try readLines() }

  /// Returns the lines of the log.
  func readLines(_ files: MemoryFileSystem? = nil) throws -> [Line] {
    var records = try LogReader.open(at: LogStory.path, fileSystem: files ?? story.files).records(from: 0)
    var lines: [Line] = []
    while let record = try records.next() {
      var salt: [UInt8]?
      if case .salted(let value) = try record.rawLine.withForm().kind {
        salt = Base64.bytes(Array(value.text.utf8), .url)
      }
      let name = record.place.path.suffix(22).prefix(16)
      lines.append(
        Line(
          index: lines.count, segment: Int(name) ?? 0, revision: record.revision, type: record.type,
          bytes: record.rawLine, salt: salt))
    }
    return lines
  }

  static func leaf(_ line: [UInt8]) throws -> SHA256Digest {
    var entry = LineEntry()
    return try line.withUnsafeBytes { bytes in try entry.leaf(of: bytes) }
  }

  /// The leaves of the tree over all lines.
  static func leaves(_ lines: [Line]) throws -> [SHA256Digest] {
    try lines.map { line in try leaf(line.bytes) }
  }

  /// The checkpoint of all lines.
  func checkpoint() throws -> Checkpoint {
    var tree = MerkleAccumulator()
    let lines = try readLines()
    for leaf in try Self.leaves(lines) { tree.append(leaf) }
    let log = try story.reader().header.log
    return try Checkpoint(origin: Checkpoint.origin(ofLog: log), size: lines.count, root: tree.root)
  }

  func verify(_ files: MemoryFileSystem? = nil) throws -> LogReport {
    try LogVerifier.verify(at: LogStory.path, fileSystem: files ?? story.files)
  }

  /// Whether a file of the disk has a text.
  static func paths(having text: String, in files: MemoryFileSystem) throws -> [String] {
    try files.filePaths.filter { path in try files.contents(of: path).contains(text: text) }
  }

  /// The numbers of the calls that change the disk, and of one after them all.
  ///
  /// - Parameter body: Works on a copy of the disk.
  func changingCalls(_ body: (any LogFileSystem) throws -> Void) throws -> [Int] {
    let door = FaultyFileSystem(story.files.copy())
    try body(door)
    let reading: Set<FileCall.Operation> = [.read, .size, .status, .names]
    let calls = door.calls
    return calls.indices.filter { index in !reading.contains(calls[index].operation) }.map { index in index + 1 }
      + [calls.count + 1]
  }

  /// The checksum of a line.
  static func checksum(of line: [UInt8]) throws -> UInt32 {
    try #require(UInt32(String(decoding: line.suffix(10).prefix(8), as: UTF8.self), radix: 16))
  }

  // MARK: Redacting

  /// Chooses values of some lines in earlier segments, none within another.
  mutating func targets(_ count: Int = 4, excluding type: String? = nil) throws -> (
    targets: [RedactionTarget], removed: Removed
  ) {
    let last = lines[lines.count - 1].segment
    var removed = Removed()
    var targets: [RedactionTarget] = []
    let candidates = lines.filter { line in line.salt != nil && line.segment < last && line.type != type }.shuffled(
      using: &random)
    for line in candidates.prefix(count).sorted(by: { one, other in one.index < other.index }) {
      let root = try JSONTape(parsing: line.bytes).root
      var pointers: [(JSONPointer, JSONTape.Node, [UInt8])] = []
      for (number, name) in ["data", "meta"].enumerated() {
        guard let node = root[name], let salt = line.salt else { continue }
        choose(node, JSONPointer([name]), Self.salt(salt, number), &pointers)
      }
      // The beginning of a segment and the number of a writer are needed to read the log.
      let type = root["type"]?.string() ?? ""
      if type == "@segment" { continue }
      if type == "@open" { pointers = pointers.filter { $0.0 == JSONPointer(["data", "host"]) } }
      guard !pointers.isEmpty else { continue }
      targets.append(RedactionTarget(index: line.index, replacements: pointers.map { ValueReplacement($0.0) }))
      if let salt = line.salt { removed.salts.append(Base64.text(salt, .url)) }
      for (_, node, salt) in pointers {
        removed.salts.append(Base64.text(salt, .url))
        Self.collectTexts(of: node, &removed.texts)
      }
    }
    return (targets, removed)
  }

  private mutating func choose(
    _ node: JSONTape.Node, _ pointer: JSONPointer, _ salt: [UInt8],
    _ found: inout [(JSONPointer, JSONTape.Node, [UInt8])]
  ) {
    guard Int.random(in: 0..<3, using: &random) > 0 else { return found.append((pointer, node, salt)) }
    switch node.kind {
    case .object:
      for (number, (name, value)) in node.members.enumerated() {
        choose(value, pointer.appending(name.string() ?? ""), Self.salt(salt, number), &found)
      }
    case .array:
      for (number, value) in node.elements.enumerated() {
        choose(value, pointer.appending(number), Self.salt(salt, number), &found)
      }
    default: break
    }
  }

  /// The salt of a member or an element, as the format states it.
  private static func salt(_ salt: [UInt8], _ index: Int) -> [UInt8] {
    var hash = SHA256()
    hash.update([0x10] + salt + [24, 16, 8, 0].map { shift in UInt8(truncatingIfNeeded: index >> shift) })
    return Array(hash.digest().bytes.prefix(16))
  }

  private static func collectTexts(of node: JSONTape.Node, _ texts: inout [String]) {
    if let text = node.string(), text.utf8.count >= 4, text.hasPrefix("secret") { texts.append(text) }
    for (_, value) in node.members { collectTexts(of: value, &texts) }
    for value in node.elements { collectTexts(of: value, &texts) }
  }

  /// Redacts values.
  @discardableResult
  func redact(
    _ targets: [RedactionTarget], recordLimitBytes: Int = LogFormat.lineLimitBytes, on files: (any LogFileSystem)? = nil
  ) throws -> LogRedaction.Outcome {
    try LogRedaction.redact(
      at: LogStory.path, reason: "request 118", recordLimitBytes: recordLimitBytes, fileSystem: files ?? story.files,
      environment: .test()
    ) { _ in targets }
  }
}
