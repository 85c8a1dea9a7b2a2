package import ActionLog
import Foundation

/// What the files of a log show of how far it was durable.
///
/// The engine's rule of recovery is judged by it, so it finds lines by a way of its own: the places where one can begin and
/// end, and a checksum between them.
package struct DurableEvidence: Sendable {
  /// A line that checks by itself.
  package struct Line: Sendable, Equatable {
    /// Its bytes, the line feed included.
    package var range: Range<Int>
    /// What it says.
    package var seq: Int
    package var synced: Int
  }

  /// What `HEAD` calls durable; `nil` when it cannot be read.
  package private(set) var headSeq: Int?
  /// The segment with the highest name; `nil` when there is none.
  package private(set) var activePath: String?
  /// The lines of that segment that check.
  package private(set) var lines: [Line] = []
  /// Where the first line that does not check begins in it, or its length.
  package private(set) var goodBytes = 0
  /// Whether what lies between that and the next line that checks can be a lost page.
  package private(set) var hasLostSector = false

  /// Looks at the log on a disk.
  package init(of disk: MemoryFileSystem, at path: String = SimulatedLog.path) throws(FileSystemError) {
    let files = disk.filePaths.filter { file in file.hasPrefix(path + "/") }
    if files.contains(path + "/HEAD") { headSeq = Self.headSeq(try disk.contents(of: path + "/HEAD")) }
    activePath = files.last { file in file.hasSuffix(".jsonl") && file.utf8.count == path.utf8.count + 23 }
    guard let activePath else { return }
    let bytes = try disk.contents(of: activePath)
    lines = Self.lines(in: bytes)
    for line in lines where line.range.lowerBound == goodBytes { goodBytes = line.range.upperBound }
    if let next = lines.first(where: { line in line.range.lowerBound > goodBytes }) {
      hasLostSector = Self.holdsLostSector(bytes, goodBytes..<next.range.lowerBound)
    }
  }

  /// What shows that more than the first actions of the log were durable; `nil` when nothing does.
  ///
  /// - Parameter found: How many actions somebody took for all that there are.
  package func proof(ofMoreThan found: Int) -> String? {
    if let headSeq, headSeq > found { return "HEAD says that \(headSeq) were durable" }
    if let line = lines.first(where: { line in line.synced > found }) {
      return "line \(line.seq) says that \(line.synced) were durable"
    }
    let next = lines.first { line in line.range.lowerBound > goodBytes }
    if let next, next.seq > found, !hasLostSector { return "line \(next.seq) follows, and no page is missing between" }
    return nil
  }
}

extension DurableEvidence {
  private static func headSeq(_ bytes: [UInt8]) -> Int? {
    struct Head: Decodable {
      var seq: Int
      var segment: Int
      var bytes: Int
      var crc: String
    }
    guard bytes.count == 128, bytes.last == UInt8(ascii: "\n") else { return nil }
    do {
      let head = try JSONDecoder().decode(Head.self, from: Data(bytes))
      let isChecksum = head.crc.utf8.count == 8 && head.crc.allSatisfy { "0123456789abcdef".contains($0) }
      return head.seq >= 0 && head.segment > 0 && head.bytes > 0 && isChecksum ? head.seq : nil
    } catch {
      return nil
    }
  }

  private static let beginning = Array(#"{"seq":"#.utf8)
  private static let mark = Array(#","crc":""#.utf8)
  /// Of the mark at the end of a line, with its eight digits and its line feed.
  private static let markBytes = 19

  /// Every stretch that begins as a line does, ends as one does, and has the checksum that it names.
  private static func lines(in bytes: [UInt8]) -> [Line] {
    var found: [Line] = []
    var starts: [Int] = []
    for index in bytes.indices {
      if bytes[index] == beginning[0], bytes[index...].starts(with: beginning) { starts.append(index) }
      guard bytes[index] == UInt8(ascii: "\n"), index + 1 >= markBytes else { continue }
      let end = index + 1 - markBytes
      // Line feeds stand at the end of lines only, so that what began before one that checked is over.
      if let start = starts.last(where: { start in start < end && checks(bytes, start..<index + 1) }) {
        let text = bytes[start..<end]
        found.append(Line(range: start..<index + 1, seq: number("seq", text), synced: number("synced", text)))
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

  /// The number behind the first member of a name; 0 when there is none.
  private static func number(_ name: String, _ bytes: ArraySlice<UInt8>) -> Int {
    let wanted = Array("\"\(name)\":".utf8)
    guard let start = bytes.indices.first(where: { index in bytes[index...].starts(with: wanted) }) else { return 0 }
    let digits = bytes[(start + wanted.count)...].prefix { byte in (0x30...0x39).contains(byte) }
    return Int(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  /// Whether 512 aligned bytes, or those from the beginning to the first such boundary, are zeros.
  private static func holdsLostSector(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    var start = range.lowerBound
    while case let end = (start / 512 + 1) * 512, end <= range.upperBound {
      if bytes[start..<end].allSatisfy({ byte in byte == 0 }) { return true }
      start = end
    }
    return false
  }
}
