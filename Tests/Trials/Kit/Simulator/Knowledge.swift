package import ActionLog
package import ActionLogTesting
import Foundation

/// A program's knowledge about its actions at the moment of a crash.
///
/// Action *n* contains the number *n* and the number of its attempt: a rejected or unknown action is offered again
/// under the same number, as another attempt. A log is correct if it holds 1…*k* for some *k* that is not less than the
/// acknowledged number, and each action is an attempt that was not rejected.
package struct Knowledge: Sendable {
  /// The accepted attempt of each number, beginning with number 1.
  private(set) var attempts: [Int] = []
  /// The highest acknowledged numbers: as written, and as durable.
  private(set) var writtenRevision = 0
  private(set) var syncedRevision = 0
  /// The attempts whose result is unknown, by number.
  private(set) var undecided: [Int: Set<Int>] = [:]
  /// The last attempt that was made.
  private(set) var lastAttempt = 0
  /// The last attempt of the decision that an attempt is part of, if it is not the attempt itself.
  private var decisionEnds: [Int: Int] = [:]

  /// Creates the knowledge before the first action.
  package init() {}

  /// Begins an attempt and returns its number.
  mutating func offer(_ number: Int) -> Int {
    lastAttempt += 1
    undecided[number, default: []].insert(lastAttempt)
    return lastAttempt
  }

  /// Begins attempts that are one decision: a log has all of them or none.
  mutating func offerDecision(_ numbers: Range<Int>) -> [Int] {
    let attempts = numbers.map { number in offer(number) }
    for attempt in attempts.dropLast() { decisionEnds[attempt] = lastAttempt }
    return attempts
  }

  /// Records that attempts were written.
  mutating func noteWritten(_ written: [(number: Int, attempt: Int)]) {
    for (number, attempt) in written {
      precondition(number == attempts.count + 1, "the actions of a history follow one another")
      attempts.append(attempt)
      undecided[number] = nil
    }
    writtenRevision = attempts.count
  }

  /// Records that attempts were rejected and are not in the log.
  mutating func noteRejected(_ rejected: [(number: Int, attempt: Int)]) {
    for (number, attempt) in rejected { undecided[number]?.remove(attempt) }
  }

  /// Records that all actions up to a number are durable.
  mutating func noteSynced(through number: Int) {
    syncedRevision = max(syncedRevision, number)
  }

  /// Allows one more action, appended by a judge as attempt 0.
  mutating func allowJudge() {
    for number in (syncedRevision + 1)...(max(attempts.count, undecided.keys.max() ?? 0) + 1) {
      undecided[number, default: []].insert(0)
    }
  }

  /// Records the attempts that a new writer found. All of them are durable now.
  mutating func noteFound(_ found: [Int]) {
    attempts = found
    undecided = [:]
    writtenRevision = found.count
    syncedRevision = found.count
  }
}

extension Knowledge {
  /// The actions that must be in the log.
  package enum Level: Sendable {
    /// All written actions: the machine keeps running.
    case written
    /// All synced actions: the power was cut.
    case synchronized
    /// None: the device reports false syncs.
    case nothing
  }

  /// Returns the flaw of the actions in a log; `nil` if there is none.
  package func flaw(in found: [Found], atLeast level: Level) -> Flaw? {
    let required =
      switch level {
      case .written: writtenRevision
      case .synchronized: syncedRevision
      case .nothing: 0
      }
    for (index, action) in found.enumerated() {
      guard action.number == index + 1 else { return .wrongAction(index + 1, "it is number \(action.number)") }
      // A damaged log is read up to the damage.
      if level != .nothing, decisionEnds[action.attempt] != nil,
        index + 1 == found.count || found[index + 1].attempt != action.attempt + 1
      {
        return .wrongAction(index + 2, "its decision is divided")
      }
      guard action.hasItsSchema else { return .wrongAction(index + 1, "it is read under another schema") }
      if index < attempts.count, action.attempt == attempts[index] { continue }
      if index < required { return .wrongAction(index + 1, "another attempt was acknowledged") }
      guard undecided[action.number]?.contains(action.attempt) == true else {
        return .wrongAction(index + 1, "this attempt was rejected or never made")
      }
    }
    return found.count < required ? .lost(found: found.count, acknowledged: required) : nil
  }

  /// An action in a log.
  package struct Found: Sendable, Equatable {
    /// The number of the action.
    package var number: Int
    /// The attempt that offered it.
    package var attempt: Int
    /// Whether its schema is that of the program that recorded it.
    package var hasItsSchema = true
  }
}

/// The evidence in the files of a log of how much was durable.
///
/// It judges the engine's recovery rule, so it finds lines independently: by possible line starts and ends, and the
/// checksum between them.
package struct DurableEvidence: Sendable {
  /// A line with a valid checksum.
  package struct Line: Sendable, Equatable {
    /// The range of its bytes, including the line feed.
    package var range: Range<Int>
    /// The members of the line.
    package var revision: Int
    package var synced: Int
  }

  /// The durable revision in `HEAD`; `nil` if it cannot be read.
  package private(set) var headRevision: Int?
  /// The segment with the highest name; `nil` if there is none.
  package private(set) var activePath: String?
  /// The valid lines of that segment.
  package private(set) var lines: [Line] = []
  /// The start offset of its first invalid line, or its length.
  package private(set) var goodBytes = 0
  /// Whether the part from there to the next valid line can be a lost page.
  package private(set) var hasLostSector = false

  /// Reads the log on a disk.
  package init(of disk: MemoryFileSystem, at path: String = SimulatedLog.path) throws(FileSystemError) {
    let files = disk.filePaths.filter { file in file.hasPrefix(path + "/") }
    if files.contains(path + "/HEAD") { headRevision = Self.headRevision(try disk.contents(of: path + "/HEAD")) }
    activePath = files.last { file in file.hasSuffix(".jsonl") && file.utf8.count == path.utf8.count + 23 }
    guard let activePath else { return }
    let bytes = try disk.contents(of: activePath)
    lines = Self.lines(in: bytes)
    for line in lines where line.range.lowerBound == goodBytes { goodBytes = line.range.upperBound }
    if let next = lines.first(where: { line in line.range.lowerBound > goodBytes }) {
      hasLostSector = Self.holdsLostSector(bytes, goodBytes..<next.range.lowerBound)
    }
  }

  /// Returns a proof that more actions of the log were durable than were found; `nil` if there is none.
  ///
  /// - Parameter found: The number of actions that a reader found.
  package func proof(ofMoreThan found: Int) -> String? {
    if let headRevision, headRevision > found { return "HEAD says that \(headRevision) were durable" }
    if let line = lines.first(where: { line in line.synced > found }) {
      return "line \(line.revision) says that \(line.synced) were durable"
    }
    let next = lines.first { line in line.range.lowerBound > goodBytes }
    if let next, next.revision > found, !hasLostSector {
      return "line \(next.revision) follows, and no page is missing between"
    }
    return nil
  }
}

extension DurableEvidence {
  private static func headRevision(_ bytes: [UInt8]) -> Int? {
    struct Head: Decodable {
      var revision: Int
      var segment: Int
      var bytes: Int
      var crc: String

      enum CodingKeys: String, CodingKey {
        case revision = "seq"
        case segment, bytes, crc
      }
    }
    guard bytes.count == 128, bytes.last == UInt8(ascii: "\n") else { return nil }
    do {
      let head = try JSONDecoder().decode(Head.self, from: Data(bytes))
      let isChecksum = head.crc.utf8.count == 8 && head.crc.allSatisfy { "0123456789abcdef".contains($0) }
      return head.revision >= 0 && head.segment > 0 && head.bytes > 0 && isChecksum ? head.revision : nil
    } catch {
      return nil
    }
  }

  private static let beginning = Array(#"{"seq":"#.utf8)
  private static let mark = Array(#","crc":""#.utf8)
  /// The length of the commit mark at the end of a line, including its eight digits and the line feed.
  private static let markBytes = 19

  /// Returns every range that begins and ends like a line and has a valid checksum.
  private static func lines(in bytes: [UInt8]) -> [Line] {
    var found: [Line] = []
    var starts: [Int] = []
    for index in bytes.indices {
      if bytes[index] == beginning[0], bytes[index...].starts(with: beginning) { starts.append(index) }
      guard bytes[index] == UInt8(ascii: "\n"), index + 1 >= markBytes else { continue }
      let end = index + 1 - markBytes
      // Line feeds only occur at the end of lines, so all candidates before a valid line are finished.
      if let start = starts.last(where: { start in start < end && checks(bytes, start..<index + 1) }) {
        let text = bytes[start..<end]
        found.append(Line(range: start..<index + 1, revision: number("seq", text), synced: number("synced", text)))
        starts = []
      }
    }
    return found
  }

  private static func checks(_ bytes: [UInt8], _ line: Range<Int>) -> Bool {
    let end = line.upperBound - markBytes
    guard bytes[end...].starts(with: mark), bytes[line.upperBound - 3] == UInt8(ascii: "\""),
      bytes[line.upperBound - 2] == UInt8(ascii: "}")
    else { return false }
    let digits = String(CRC32C.checksum(of: bytes[line.lowerBound..<end]), radix: 16)
    let padded = String(repeating: "0", count: 8 - digits.utf8.count) + digits
    return bytes[end + mark.count..<end + mark.count + 8].elementsEqual(padded.utf8)
  }

  /// Returns the number in the first member with a name; 0 if there is none.
  private static func number(_ name: String, _ bytes: ArraySlice<UInt8>) -> Int {
    let wanted = Array("\"\(name)\":".utf8)
    guard let start = bytes.indices.first(where: { index in bytes[index...].starts(with: wanted) }) else { return 0 }
    let digits = bytes[(start + wanted.count)...].prefix { byte in (0x30...0x39).contains(byte) }
    return Int(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  /// Whether a range contains 512 aligned zero bytes, or zeros from its beginning to the first such boundary.
  private static func holdsLostSector(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    var start = range.lowerBound
    while case let end = (start / 512 + 1) * 512, end <= range.upperBound {
      if bytes[start..<end].allSatisfy({ byte in byte == 0 }) { return true }
      start = end
    }
    return false
  }
}
