public import ActionLog
public import JSONCoding

/// What a bug report says of itself: where it was cut from, what was found there, and what people said of it.
///
/// A bug report is one file of JSON lines: a log of a single segment that begins at a state of another log, with the actions of a
/// stretch, and this as its last record. So whatever reads logs reads it, and `BugReport.unpack` makes it a log in a directory.
public struct BugReport: Sendable {
  /// The identifier of the log that it was cut from.
  public var log: String
  /// The revision of that log at which the report begins: revision 0 of the report.
  public var first: Int
  /// The revision of that log at which it ends.
  public var last: Int
  /// What whoever made it said.
  public var remark: String?
  /// The marks of the stretch, in the revisions of the report.
  public var marks: [Mark]
  /// What `verify` found in the log.
  public var verification: Finding
  /// What folding it twice found, up to the end of the stretch.
  public var replay: Finding

  /// What an examination of the log found.
  public struct Finding: Sendable, Hashable {
    /// Whether everything was as it is to be.
    public var isSound: Bool
    /// In a word or two: `clean`, `damaged`, `proved` …
    public var verdict: String
    /// What was found, in words; at most ``remarkLimit``.
    public var remarks: [String]

    /// What a person reads.
    public static let remarkLimit = 20

    /// Makes a finding from its parts; of the remarks the first ``remarkLimit`` are taken.
    public init(isSound: Bool, verdict: String, remarks: [String] = []) {
      self.isSound = isSound
      self.verdict = verdict
      self.remarks = Array(remarks.prefix(Self.remarkLimit))
    }
  }

  /// Longer than anybody reads, shorter than a record.
  static let remarkLimitBytes = 65_536
}

extension BugReport: ControlRecord {
  package static var controlType: ControlType { .report }

  package func data() -> [UInt8] { JSONValue.object(json).bytes() }

  /// The members of its record.
  public var json: JSONObject {
    var object: JSONObject = [
      "log": .string(log), "from": .number(JSONNumber(first)), "to": .number(JSONNumber(last)),
    ]
    object["remark"] = remark.map(JSONValue.string)
    object["marks"] = .array(
      marks.map { mark in
        var object: JSONObject = [
          "seq": .number(JSONNumber(mark.revision)), "time": .string(mark.time.description), "name": .string(mark.name),
        ]
        object["remark"] = mark.remark.map(JSONValue.string)
        return .object(object)
      })
    object["verify"] = .object(verification.json)
    object["replay"] = .object(replay.json)
    return object
  }

  /// Reads its record.
  ///
  /// - Throws: ``TimeTravelError/Code/invalidReport``, which names the member that is wrong.
  init(_ record: LogRecord) throws(TimeTravelError) {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: record.dataBytes) } catch {
      throw TimeTravelError(.invalidReport, "the report is not JSON", underlying: error)
    }
    guard case .object(let object) = value else { throw Self.wrong("the report") }
    guard case .string(let log)? = object["log"] else { throw Self.wrong("'log'") }
    guard case .number(let from)? = object["from"], let first = from.int, first >= 0 else { throw Self.wrong("'from'") }
    guard case .number(let to)? = object["to"], let last = to.int, last >= first else { throw Self.wrong("'to'") }
    self.log = log
    self.first = first
    self.last = last
    remark = try Self.text(object["remark"], "'remark'")
    verification = try Finding(object["verify"], "'verify'")
    replay = try Finding(object["replay"], "'replay'")
    marks = []
    guard case .array(let elements) = object["marks"] ?? .array([]) else { throw Self.wrong("'marks'") }
    for element in elements {
      guard case .object(let mark) = element, case .string(let name)? = mark["name"] else {
        throw Self.wrong("'marks'")
      }
      marks.append(try Mark(mark, name: name))
    }
  }

  fileprivate static func wrong(_ member: String) -> TimeTravelError {
    TimeTravelError(.invalidReport, "\(member) of the bug report is missing or of another kind")
  }

  private static func text(_ value: JSONValue?, _ member: String) throws(TimeTravelError) -> String? {
    switch value {
    case nil: return nil
    case .string(let text)?: return text
    default: throw wrong(member)
    }
  }
}

extension BugReport.Finding {
  fileprivate var json: JSONObject {
    ["sound": .bool(isSound), "verdict": .string(verdict), "remarks": .array(remarks.map(JSONValue.string))]
  }

  fileprivate init(_ value: JSONValue?, _ member: String) throws(TimeTravelError) {
    guard case .object(let object)? = value, case .bool(let isSound)? = object["sound"],
      case .string(let verdict)? = object["verdict"], case .array(let elements)? = object["remarks"]
    else { throw BugReport.wrong(member) }
    var remarks: [String] = []
    for element in elements {
      guard case .string(let remark) = element else { throw BugReport.wrong(member) }
      remarks.append(remark)
    }
    self.init(isSound: isSound, verdict: verdict, remarks: remarks)
  }
}

extension BugReport {
  /// Reads what a bug report says of itself.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - fileSystem: Where it lies.
  /// - Throws: `LogError` when it is no log or cannot be read; ``TimeTravelError/Code/invalidReport`` when it is not a bug report, or
  ///   not a whole one.
  /// - Complexity: O(length of the file).
  public init(reading path: String, fileSystem: any LogFileSystem = POSIXFileSystem()) throws {
    let reader = try LogReader.open(path, fileSystem: fileSystem)
    guard reader.isSingleSegment, reader.header.first == 1 else {
      throw TimeTravelError(.invalidReport, "a bug report is one file, which begins with the first action")
    }
    var records = try reader.records(from: 0)
    var found: LogRecord?
    while let record = try records.next() {
      if record.controlType == .report {
        found = record
      } else if !record.isControl {
        found = nil
      }
    }
    guard let found else {
      throw TimeTravelError(
        .invalidReport,
        "there is no report behind the last action: the file is not a bug report, or lacks its end")
    }
    try self.init(found)
  }

  /// Makes a bug report a log in a directory, with its marks.
  ///
  /// Every byte of the file is checked before the log gets its name. Nothing is written anywhere else, whatever the file says.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - target: Where the log is to lie: a path at which nothing lies, or an empty directory.
  ///   - fileSystem: Where both lie.
  /// - Returns: What the report says of itself.
  /// - Throws: As ``init(reading:fileSystem:)``; `LogError` with code `damaged` when a byte does not check, with code `exists`,
  ///   `locked`, `noSpace`, `inputOutput` when the log cannot be made. Nothing is at the target then.
  /// - Complexity: O(length of the file).
  @discardableResult
  public static func unpack(
    _ path: String, to target: String, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws -> BugReport {
    // A first look tells of what is no bug report before anything is made.
    var report = try BugReport(reading: path, fileSystem: fileSystem)
    try SegmentFile.unpack(path, to: target, fileSystem: fileSystem) { copy in
      let verification = try LogVerifier.verify(copy, fileSystem: fileSystem)
      guard verification.verdict == .clean, verification.isClosed else {
        let problem = verification.problems.first
        throw LogError(
          .damaged, problem?.message ?? "the file ends before its last record", path: path, line: problem?.line,
          byteOffset: problem?.byteOffset, seq: problem?.seq,
          advice: "Ask for the bug report again; 'list' and 'state' read what is intact of this file.")
      }
      // What counts is the copy: the file may be another one by now.
      report = try BugReport(reading: copy, fileSystem: fileSystem)
      return report.marks.flatMap { mark in MarkLine.bytes(of: mark, isRemoved: false, time: mark.time) }
    }
    return report
  }
}
