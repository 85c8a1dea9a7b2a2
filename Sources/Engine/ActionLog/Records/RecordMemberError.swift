internal import JSONCoding

/// A member that is missing, of another type, or beyond its limits.
struct RecordMemberError: Error, Equatable {
  var name: String

  init(_ name: String) {
    self.name = name
  }
}

extension JSONTape.Node {
  /// The string member of a name.
  func text(_ name: String) throws(RecordMemberError) -> String {
    guard let text = self[name]?.string() else { throw RecordMemberError(name) }
    return text
  }

  /// The integer member of a name, between a least value and the limit of `seq`.
  func number(_ name: String, from least: Int) throws(RecordMemberError) -> Int {
    guard let number = self[name]?.plainInteger, number >= least else { throw RecordMemberError(name) }
    return number
  }

  /// The time member of a name.
  func time(_ name: String) throws(RecordMemberError) -> LogTime {
    guard let time = self[name]?.time else { throw RecordMemberError(name) }
    return time
  }

  /// The checksum member of a name.
  func checksum(_ name: String) throws(RecordMemberError) -> UInt32 {
    guard let checksum = self[name]?.checksum else { throw RecordMemberError(name) }
    return checksum
  }

  /// The integer, written as digits only and at most the limit of `seq`.
  var plainInteger: Int? {
    guard isInteger, let number = integer(Int.self), (0...LogFormat.seqLimit).contains(number) else { return nil }
    return number
  }

  var time: LogTime? { stringBytes().flatMap { bytes in LogTime(parsing: bytes) } }

  var checksum: UInt32? { stringBytes().flatMap { bytes in ChecksumDigits.parse(bytes) } }
}
