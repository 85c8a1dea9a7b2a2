package import JSONCoding

/// The reason why a line is not a record, or does not follow the previous record.
package enum LineFault: Error, Equatable {
  case unfinished
  case tooLong
  case noCommitMark
  case checksumMismatch
  /// The checksum matches, but the line is not strict JSON or not an object.
  case invalidJSON(JSONError?)
  case invalidMember(String)
  /// The line begins like a salted or redacted one, but is not exactly in the form of such lines.
  case invalidForm(String)
  case wrongCommitment(String)
  /// The `prev` is not the checksum of the previous line; `missing` are the revisions absent between the two lines.
  case wrongPrevious(expected: UInt32, found: UInt32, missing: ClosedRange<Int>?)
  case wrongRevision(expected: Int, found: Int)
  /// The `synced` is lower than in a previous line, or names an action that follows.
  case wrongSynced(found: Int)
  /// The first line of a segment is not a `@segment` record, or another line is one.
  case misplacedHeader
  /// The `@segment` record names a format that this version cannot read.
  case unsupportedFormat(String)
  /// The `@segment` record belongs to another log or another file.
  case foreignHeader(String)
  /// The line is a `@unit` record, and the actions of the unit are not all there.
  case unfinishedUnit
  /// The `@open` record names another schema than that of the actions in the segment.
  case wrongSchema(inForce: Int, found: Int)

  /// Whether the line itself is valid. A crash cannot have produced it, so it is never a torn tail.
  package var isLineIntact: Bool {
    switch self {
    case .unfinished, .tooLong, .noCommitMark, .checksumMismatch, .invalidJSON, .unfinishedUnit: false
    case .invalidMember, .invalidForm, .wrongCommitment, .wrongPrevious, .wrongRevision, .wrongSynced, .misplacedHeader,
      .unsupportedFormat,
      .foreignHeader, .wrongSchema:
      true
    }
  }

  package var message: String {
    switch self {
    case .unfinished: "the line has no line feed"
    case .tooLong: "the line is longer than \(LogFormat.lineLimitBytes) bytes"
    case .noCommitMark: "the line does not end with a checksum"
    case .checksumMismatch: "checksum mismatch"
    case .invalidJSON(let error?): "the line is not strict JSON (\(error.message))"
    case .invalidJSON(nil): "the line is not a JSON object"
    case .invalidMember(let name): "the member '\(name)' is missing or not of its type"
    case .invalidForm(let reason): "the line is not exactly in the form of salted or redacted lines: \(reason)"
    case .wrongCommitment(let reason): "the redacted line was changed: \(reason)"
    case .wrongPrevious(let expected, let found, let missing):
      Self.text(ofMissing: missing)
        + "the line does not follow the one before it: its prev is \(ChecksumDigits.text(found)), not \(ChecksumDigits.text(expected))"
    case .wrongRevision(let expected, let found): "the line has seq \(found) where \(expected) follows"
    case .wrongSynced(let found): "the member 'synced' (\(found)) is lower than before or names a later action"
    case .misplacedHeader: "a segment must begin with a @segment record and contain no other"
    case .unsupportedFormat(let format): "the format '\(format)' is not supported by this version"
    case .foreignHeader(let reason): "the segment belongs to another log or position: \(reason)"
    case .unfinishedUnit: "the actions of the unit are not all there"
    case .wrongSchema(let inForce, let found):
      "the schema changes from \(inForce) to \(found) after actions of the segment"
    }
  }

  private static func text(ofMissing revisions: ClosedRange<Int>?) -> String {
    guard let revisions else { return "" }
    return revisions.count == 1
      ? "action \(revisions.lowerBound) is missing: "
      : "actions \(revisions.lowerBound)…\(revisions.upperBound) are missing: "
  }
}

/// A member that is missing, has another type, or exceeds its limits.
package struct RecordMemberError: Error, Equatable {
  package var name: String

  package init(_ name: String) {
    self.name = name
  }
}

extension JSONTape.Node {
  package func text(_ name: String) throws(RecordMemberError) -> String {
    guard let text = self[name]?.string() else { throw RecordMemberError(name) }
    return text
  }

  /// Returns the integer member with a name, from a minimum to the limit of `seq`.
  package func number(_ name: String, from least: Int) throws(RecordMemberError) -> Int {
    guard let number = self[name]?.plainInteger, number >= least else { throw RecordMemberError(name) }
    return number
  }

  func flag(_ name: String) throws(RecordMemberError) -> Bool {
    guard let member = self[name] else { return false }
    guard let flag = member.bool() else { throw RecordMemberError(name) }
    return flag
  }

  package func time(_ name: String) throws(RecordMemberError) -> LogTime {
    guard let time = self[name]?.time else { throw RecordMemberError(name) }
    return time
  }

  package func checksum(_ name: String) throws(RecordMemberError) -> UInt32 {
    guard let checksum = self[name]?.checksum else { throw RecordMemberError(name) }
    return checksum
  }

  /// The integer, if it is written with digits only and is at most the limit of `seq`.
  var plainInteger: Int? {
    guard isInteger, let number = integer(Int.self), (0...LogFormat.revisionLimit).contains(number) else { return nil }
    return number
  }

  package var time: LogTime? { stringBytes().flatMap { bytes in LogTime(parsing: bytes) } }

  package var checksum: UInt32? { stringBytes().flatMap { bytes in ChecksumDigits.parse(bytes) } }
}
