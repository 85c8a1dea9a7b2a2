public import ActionLog
import ActionLogMaintenance
package import JSONCoding

/// The description of a bug report: its origin, the findings of an examination, and a remark.
///
/// A bug report is one file of JSON lines: a log of a single segment that begins at a state of another log, with a range of
/// its actions, and this description as its last record. So all tools for logs can read it.
public struct BugReport: Sendable {
  /// The identifier of the original log.
  public var log: String
  /// The revision of the original log at revision 0 of the report.
  public var first: Int
  /// The revision of the original log at the end of the report.
  public var last: Int
  /// A remark of the author.
  public var remark: String?
  /// The marks in the range, with the revisions of the report.
  public var marks: [Mark]
  /// The finding of `verify` on the original log.
  public var verification: Finding
  /// The finding of folding the original log twice, up to the end of the range.
  public var replay: Finding

  /// The finding of an examination.
  public struct Finding: Sendable, Hashable {
    /// Whether everything was in order.
    public var isSound: Bool
    /// The verdict in a word or two: `clean`, `damaged`, `proved` …
    public var verdict: String
    /// The findings in words; at most 20.
    public var remarks: [String]

    /// As many as a user reads.
    static let remarkLimit = 20

    package init(isSound: Bool, verdict: String, remarks: [String] = []) {
      self.isSound = isSound
      self.verdict = verdict
      self.remarks = Array(remarks.prefix(Self.remarkLimit))
    }
  }

  /// Longer than a user reads, shorter than a record.
  static let remarkLimitBytes = 65_536
}

extension BugReport: ControlRecord {
  package static var controlType: ControlType { .report }

  package func data() -> [UInt8] { JSONValue.object(json).bytes() }

  /// The members of the record.
  package var json: JSONObject {
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

  init(_ record: LogRecord) throws(TimeTravelError) {
    let root: JSONTape.Node
    do throws(JSONError) { root = try JSONTape(parsing: record.dataBytes).root } catch {
      throw TimeTravelError(.invalidReport, "the report is not JSON", underlying: error)
    }
    do throws(RecordMemberError) {
      log = try root.text("log")
      first = try root.number("from", from: 0)
      last = try root.number("to", from: first)
      if root["remark"] != nil { remark = try root.text("remark") }
      verification = try Finding(root, "verify")
      replay = try Finding(root, "replay")
      if let marks = root["marks"], marks.kind != .array { throw RecordMemberError("marks") }
    } catch {
      throw TimeTravelError(.invalidReport, "'\(error.name)' of the bug report is missing or has another type")
    }
    marks = []
    guard let elements = root["marks"]?.elements else { return }
    for mark in elements { marks.append(try Mark(mark)) }
  }
}

extension BugReport.Finding {
  fileprivate var json: JSONObject {
    ["sound": .bool(isSound), "verdict": .string(verdict), "remarks": .array(remarks.map(JSONValue.string))]
  }

  fileprivate init(_ report: JSONTape.Node, _ name: String) throws(RecordMemberError) {
    guard let node = report[name], let isSound = node["sound"]?.bool(), let verdict = node["verdict"]?.string(),
      let remarks = node["remarks"], remarks.kind == .array,
      case let texts = remarks.elements.map({ remark in remark.string() }), !texts.contains(nil)
    else { throw RecordMemberError(name) }
    self.init(isSound: isSound, verdict: verdict, remarks: texts.compactMap(\.self))
  }
}

extension BugReport {
  /// Reads the description of a bug report.
  ///
  /// - Throws: `LogError` if the file is not a log or cannot be read; ``TimeTravelError/Code/invalidReport`` if it is not a
  ///   complete bug report.
  public init(reading path: String, fileSystem: any LogFileSystem = POSIXFileSystem()) throws {
    let reader = try LogReader.open(at: path, fileSystem: fileSystem)
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
        "there is no report after the last action: the file is not a bug report, or lacks its end")
    }
    try self.init(found)
  }
}
