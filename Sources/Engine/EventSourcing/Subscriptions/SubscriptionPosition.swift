public import ActionLog
import JSONCoding

/// A position in a log: the last action that a subscription has handled, and everything before it.
///
/// The checksum of the action's line covers the lines before it. So a position fits only the log that it was taken from: not another
/// log, and not a log that was restored from an older backup and continued differently.
///
/// A handler that writes to a database can store ``Delivery/position`` in the same transaction as its own changes, as a text, and
/// resume there: see ``SubscriptionStart/resuming(after:or:)``.
public struct SubscriptionPosition: Hashable, Sendable {
  /// The identifier of the log.
  public let log: String
  /// The last handled revision; 0 before the first action.
  public let revision: Int
  /// The checksum of that action's line; 0 at revision 0.
  public let crc: UInt32

  /// Creates a position.
  ///
  /// - Parameters:
  ///   - log: The identifier of the log.
  ///   - revision: The last handled revision, from 0.
  ///   - crc: The checksum of its line; ignored at revision 0.
  public init(log: String, revision: Int, crc: UInt32) {
    self.log = log
    self.revision = revision
    self.crc = revision == 0 ? 0 : crc
  }

  static func beginning(of log: String) -> SubscriptionPosition { SubscriptionPosition(log: log, revision: 0, crc: 0) }
}

extension SubscriptionPosition: LosslessStringConvertible {
  /// The text `LOG/REVISION/CHECKSUM`, for instance `3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11/42/1f6ac013`.
  public var description: String { "\(log)/\(revision)/\(ChecksumDigits.text(crc))" }

  /// Parses the text of ``description``; `nil` for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3, let revision = PositionText.revision(parts[parts.count - 2]),
      let crc = ChecksumDigits.parse(parts[parts.count - 1].utf8)
    else { return nil }
    let log = parts.dropLast(2).joined(separator: "/")
    guard !log.isEmpty, revision > 0 || crc == 0 else { return nil }
    self.init(log: log, revision: revision, crc: crc)
  }
}

extension SubscriptionPosition: Codable {
  /// Decodes the text of ``description``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let position = SubscriptionPosition(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a position LOG/REVISION/CHECKSUM")
    }
    self = position
  }

  /// Encodes the text of ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension SubscriptionPosition {
  init(after record: LogRecord, of log: String) {
    self.init(log: log, revision: record.revision, crc: record.crc)
  }

  static func at(_ revision: Int, of reader: LogReader) throws(LogError) -> SubscriptionPosition {
    guard revision > 0 else { return .beginning(of: reader.header.log) }
    return SubscriptionPosition(
      log: reader.header.log, revision: revision, crc: try reader.anchor(at: revision).checksum)
  }

  func check(against reader: LogReader, of name: String) throws {
    guard log == reader.header.log else {
      throw mismatch("belongs to the log \(log), and this log is \(reader.header.log)", reader, name)
    }
    if let base = reader.currentBase, revision < base.revision {
      throw LogError(
        .pruned,
        "the position of the subscription '\(name)' is revision \(revision), and the log was pruned: "
          + "its actions \(revision + 1)…\(base.revision) are gone",
        path: reader.path, revision: revision + 1,
        intact: "Nothing was delivered.",
        // Deleted segments cannot be put back.
        advice: .sentences(
          reader.pruningAdvice(), "To continue after them: \(SubscriptionStore.reset(name, "\(base.revision)")).",
          "A new subscription begins there with '\(.option("from", "start"))'."))
    }
    guard revision > 0 else { return }
    let found: UInt32
    // Of the last action before a pruned log, the base has the checksum.
    do throws(LogError) { found = try reader.anchor(at: revision).checksum } catch {
      guard error.code == .revisionOutOfRange else { throw error }
      throw mismatch("is after action \(revision), and the log ends before it", reader, name)
    }
    guard found == crc else {
      throw mismatch("follows an action \(revision) that differs from the log's", reader, name)
    }
  }

  private func mismatch(_ what: String, _ reader: LogReader, _ name: String) -> EventSourcingError {
    EventSourcingError(
      .positionMismatch, "the position of the subscription '\(name)' \(what)", path: reader.path, revision: revision,
      intact: "The log was replaced, or restored from an older backup. Nothing was delivered.",
      advice: "Decide where to continue, and set the position: \(SubscriptionStore.reset(name, "POINT")).")
  }
}

/// The contents of a position file, `LOG/subscriptions/NAME.json`: one line of JSON with its own checksum.
///
/// `{"subscription":"mailer","log":"…","seq":42,"line":"1f6ac013","updated":"…","attempts":0,"crc":"…"}`, where `line` is the checksum
/// of the action's line. If the delivery of later actions failed, `failing` is the revision of the first of them, `attempts` the number
/// of failed attempts, and `error` the last error; `otherAttempts` has the revisions and attempts of the others.
package struct StoredPosition: Equatable, Sendable {
  package var name: String
  package var position: SubscriptionPosition
  package var updated: LogTime
  package var failing: Int?
  package var attempts = 0
  package var error: String?
  package var otherAttempts: [Int: Int] = [:]

  /// The number of ``otherAttempts`` in the file: the greatest width of a delivery. Each takes at most 30 bytes.
  static let otherAttemptLimit = 1_000
  /// More than any valid file needs: the name, the identifier of the log and the error are limited.
  static let limitBytes = 1 << 16

  package init(
    name: String, position: SubscriptionPosition, updated: LogTime, failing: Int? = nil, attempts: Int = 0,
    error: String? = nil
  ) {
    self.name = name
    self.position = position
    self.updated = updated
    self.failing = failing
    self.attempts = attempts
    self.error = error
  }

  var bytes: [UInt8] {
    var line = Array("{\"subscription\":".utf8)
    JSONText.appendString(name, to: &line)
    line += ",\"log\":".utf8
    JSONText.appendString(position.log, to: &line)
    line += ",\"seq\":\(position.revision),\"line\":\"\(ChecksumDigits.text(position.crc))\"".utf8
    line += ",\"updated\":\"\(updated)\",\"attempts\":\(attempts)".utf8
    if let failing { line += ",\"failing\":\(failing)".utf8 }
    if let error {
      line += ",\"error\":".utf8
      JSONText.appendString(PositionText.excerpt(error), to: &line)
    }
    if !otherAttempts.isEmpty {
      let pairs = otherAttempts.sorted { one, other in one.key < other.key }.prefix(Self.otherAttemptLimit)
      let text = pairs.map { revision, attempts in "[\(revision),\(attempts)]" }.joined(separator: ",")
      line += ",\"otherAttempts\":[\(text)]".utf8
    }
    CommitMark.append(to: &line)
    return line
  }

  /// Parses a line with its line feed; `nil` if its checksum does not match or a member is missing.
  init?(parsing line: [UInt8]) {
    guard CommitMark.isIntact(line), let root = PositionText.root(of: line) else { return nil }
    guard let name = root["subscription"]?.string(), let log = root["log"]?.string(),
      let revision = PositionText.revision(root["seq"]),
      let crc = root["line"]?.string().flatMap({ text in ChecksumDigits.parse(text.utf8) }),
      let updated = root["updated"]?.string().flatMap({ text in LogTime(parsing: text) }),
      let attempts = PositionText.attempts(root["attempts"])
    else { return nil }
    self.init(
      name: name, position: SubscriptionPosition(log: log, revision: revision, crc: crc), updated: updated,
      failing: PositionText.revision(root["failing"]), attempts: attempts, error: root["error"]?.string())
    guard let others = root["otherAttempts"] else { return }
    for pair in others.elements.prefix(Self.otherAttemptLimit) {
      let values = Array(pair.elements)
      guard values.count == 2, let revision = PositionText.revision(values[0]),
        let attempts = PositionText.attempts(values[1])
      else { continue }
      otherAttempts[revision] = attempts
    }
  }
}

/// An action that a subscription could not deliver and went past, in `LOG/subscriptions/NAME.parked.jsonl`.
///
/// Each is a line of JSON with its own checksum: `{"seq":42,"parked":"…","attempts":5,"error":"…","record":{…},"crc":"…"}`, where
/// `record` is the action's line.
public struct ParkedAction: Sendable, Equatable {
  /// The revision of the action.
  public var revision: Int
  /// The time at which it was parked.
  public var time: LogTime
  /// The number of failed attempts.
  public var attempts: Int
  /// The last error.
  public var error: String
  /// The action's line, without its line feed.
  public var line: [UInt8]
}

extension ParkedAction {
  var bytes: [UInt8] {
    var bytes = Array("{\"seq\":\(revision),\"parked\":\"\(time)\",\"attempts\":\(attempts),\"error\":".utf8)
    JSONText.appendString(PositionText.excerpt(error), to: &bytes)
    bytes += ",\"record\":".utf8
    bytes += line
    CommitMark.append(to: &bytes)
    return bytes
  }

  /// Parses a line with its line feed; `nil` if its checksum does not match or a member is missing.
  init?(parsing bytes: [UInt8]) {
    guard CommitMark.isIntact(bytes), let root = PositionText.root(of: bytes) else { return nil }
    guard let revision = PositionText.revision(root["seq"]), revision > 0,
      let time = root["parked"]?.string().flatMap({ text in LogTime(parsing: text) }),
      let attempts = PositionText.attempts(root["attempts"]), let error = root["error"]?.string(),
      let record = root["record"]
    else { return nil }
    self.init(revision: revision, time: time, attempts: attempts, error: error, line: Array(record.bytes))
  }
}

/// A line in the file of the actions to deliver again: one of them was delivered, or was parked again.
///
/// Programs that do not know such lines ignore them, and deliver the action once more.
struct SettledAction: Equatable {
  var revision: Int
}

extension SettledAction {
  var bytes: [UInt8] {
    var bytes = Array("{\"seq\":\(revision),\"settled\":true".utf8)
    CommitMark.append(to: &bytes)
    return bytes
  }

  /// Parses a line with its line feed; `nil` if its checksum does not match, or if it is another line.
  init?(parsing bytes: [UInt8]) {
    guard CommitMark.isIntact(bytes), let root = PositionText.root(of: bytes), root["settled"]?.bool() == true,
      let revision = PositionText.revision(root["seq"]), revision > 0
    else { return nil }
    self.init(revision: revision)
  }
}

/// The texts of positions.
enum PositionText {
  /// Errors are shortened to this many bytes: they are for people, and a handler's error can be of any length.
  private static let errorLimitBytes = 2_048
  /// At one attempt a second, the number of 30 years.
  static let attemptLimit = 1_000_000_000

  /// Parses a revision: digits without a sign or leading zeros.
  static func revision(_ text: Substring) -> Int? {
    guard let number = Int(text), (0...LogFormat.revisionLimit).contains(number), "\(number)" == text else {
      return nil
    }
    return number
  }

  /// Parses a number of attempts. A number above any real one counts as the limit, so that adding to it cannot overflow.
  static func attempts(_ node: JSONTape.Node?) -> Int? {
    guard let number = node?.int(), number >= 0 else { return nil }
    return min(number, attemptLimit)
  }

  static func revision(_ node: JSONTape.Node?) -> Int? {
    guard let number = node?.int(), (0...LogFormat.revisionLimit).contains(number) else { return nil }
    return number
  }

  /// Returns the object of a line; `nil` if it is not JSON, which the caller reports.
  static func root(of line: [UInt8]) -> JSONTape.Node? {
    // A parked action is nested one level deeper than in its log.
    do throws(JSONError) {
      return try JSONTape(parsing: line.dropLast(), maximumDepth: LogFormat.depthLimit + 1).root
    } catch {
      return nil
    }
  }

  static func excerpt(_ text: String) -> String {
    guard text.utf8.count > errorLimitBytes else { return text }
    return String(decoding: Array(text.utf8.prefix(errorLimitBytes)), as: UTF8.self) + "…"
  }
}
