import ActionLog
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

extension BugReport {
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
