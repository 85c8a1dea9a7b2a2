public import ActionLog
import JSONCoding
import Platform

/// A named point of a history.
///
/// Marks are stored next to the records, in the log's `marks.jsonl`; see ``MarkStore``. The name of a mark can be used as a
/// ``HistoryPoint``.
public struct Mark: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The revision of the mark.
  public let revision: Int
  /// A remark of the user.
  public let remark: String?
  /// The time at which the mark was made.
  public let time: LogTime

  /// A name is typed, and shown in tables.
  public static let nameLimitBytes = 256
  /// A remark is a note, not a document.
  static let remarkLimitBytes = 16_384

  /// Creates a mark.
  ///
  /// - Parameters:
  ///   - name: The name: 1 to ``nameLimitBytes`` bytes that are not another point like `42`, `end` or `5m ago`. It does not
  ///     contain `=`, which command lines need, does not begin with `-`, and has single spaces only, and only inside.
  ///   - revision: The revision, 0 or more.
  ///   - remark: A remark of at most 16 384 bytes.
  ///   - time: The time of creation.
  /// - Throws: ``TimeTravelError/Code/invalidMark`` with the violated rule.
  public init(
    _ name: String, at revision: Int, remark: String? = nil, time: LogTime
  ) throws(TimeTravelError) {
    try Self.check(name)
    guard revision >= 0 else { throw TimeTravelError(.invalidMark, "there is no revision \(revision)") }
    if let remark, remark.utf8.count > Self.remarkLimitBytes {
      throw TimeTravelError(
        .invalidMark, "the remark has \(remark.utf8.count) bytes, more than \(Self.remarkLimitBytes)")
    }
    self.name = name
    self.revision = revision
    self.remark = remark
    self.time = time
  }

  private static func check(_ name: String) throws(TimeTravelError) {
    func refusal(_ reason: String) -> TimeTravelError {
      TimeTravelError(.invalidMark, "\(EscapedText.quoting(name)) cannot be the name of a mark: \(reason)")
    }
    guard !name.isEmpty else { throw TimeTravelError(.invalidMark, "the name of the mark is empty") }
    guard name.utf8.count <= nameLimitBytes else {
      throw TimeTravelError(
        .invalidMark, "the name of the mark has \(name.utf8.count) bytes, more than \(nameLimitBytes)")
    }
    guard name == EscapedText.escaping(name) else {
      throw refusal("it has control characters, such as tabs or line feeds")
    }
    guard name == HistoryPoint.collapsed(name) else {
      throw refusal("only single spaces are allowed, and only inside a name")
    }
    guard !name.hasPrefix("-"), !name.contains("=") else {
      throw refusal("it begins with '-' or contains '=', which have another meaning on command lines")
    }
    let isPoint: Bool
    do throws(TimeTravelError) { isPoint = try HistoryPoint.form(name, now: .earliest) != nil } catch {
      throw refusal("it has the form of another point (\(error.message))")
    }
    if isPoint { throw refusal("it already means another point") }
  }
}

/// A line of `marks.jsonl`: a mark that was made or removed.
///
/// `{"seq":42,"time":"2026-11-21T09:00:05.000000Z","name":"before the crash","remark":"…","crc":"…"}`, with `"removed":true`
/// instead of the remark for a removed mark. The checksum is that of a record's line.
enum MarkLine {
  case made(Mark)
  case removed(name: String)

  static func bytes(of mark: Mark, isRemoved: Bool, time: LogTime) -> [UInt8] {
    var line: [UInt8] = Array("{\"seq\":\(mark.revision),\"time\":\"\(time)\",\"name\":".utf8)
    JSONText.appendString(mark.name, to: &line)
    if isRemoved {
      line += ",\"removed\":true".utf8
    } else if let remark = mark.remark {
      line += ",\"remark\":".utf8
      JSONText.appendString(remark, to: &line)
    }
    CommitMark.append(to: &line)
    return line
  }

  init(parsing line: [UInt8]) throws(TimeTravelError) {
    guard CommitMark.isIntact(line) else {
      throw TimeTravelError(.invalidMark, "the line was truncated or changed: its checksum does not match")
    }
    let root: JSONTape.Node
    do throws(JSONError) { root = try JSONTape(parsing: line.dropLast()).root } catch {
      throw TimeTravelError(.invalidMark, "the line is not JSON", underlying: error)
    }
    if root["removed"]?.bool() == true, let name = root["name"]?.string() {
      self = .removed(name: name)
    } else {
      self = .made(try Mark(root))
    }
  }
}

extension Mark {
  init(_ node: JSONTape.Node) throws(TimeTravelError) {
    let (name, revision, time): (String, Int, LogTime)
    var remark: String?
    do throws(RecordMemberError) {
      (name, revision, time) = (try node.text("name"), try node.number("seq", from: 0), try node.time("time"))
      if node["remark"] != nil { remark = try node.text("remark") }
    } catch {
      throw TimeTravelError(.invalidMark, "'\(error.name)' is missing or has another type")
    }
    try self.init(name, at: revision, remark: remark, time: time)
  }
}
