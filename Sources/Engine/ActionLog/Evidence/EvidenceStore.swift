internal import JSONCoding

/// The folder `proofs` of a log: the tiles of its tree, its checkpoints, and how far the tiles go.
///
/// Everything except the checkpoints is computed from the lines. After a crash the tiles are older than the log, never wrong: they are
/// durable before ``EvidenceEdge`` names them. All calls block.
package struct EvidenceStore: Sendable {
  package let log: String
  package let path: String
  package let fileSystem: any LogFileSystem

  // Paths within the log's directory.
  package static let folder = "proofs"
  /// The file that names how far the tiles go.
  package static let edgeName = folder + "/edge"

  package init(log: String, fileSystem: any LogFileSystem = POSIXFileSystem()) {
    self.log = LogFolder.trimmed(log)
    path = self.log + "/" + Self.folder
    self.fileSystem = fileSystem
  }

  package var edgePath: String { log + "/" + Self.edgeName }

  /// Returns how far the tiles go; `nil` if there are none, or the file is not valid.
  package func edge() throws(LogError) -> EvidenceEdge? {
    try LogError.unlessDamaged { () throws(LogError) in
      try contents(edgePath, limitBytes: EvidenceEdge.limitBytes).flatMap(EvidenceEdge.init(parsing:))
    }
  }

  package func contents(_ path: String, limitBytes: Int) throws(LogError) -> [UInt8]? {
    do throws(FileSystemError) { return try fileSystem.contents(of: path, limitBytes: limitBytes) } catch {
      switch error.code {
      case .notFound, .notADirectory: return nil
      case .notARegularFile, .fileTooLarge:
        throw LogError(
          .damaged, error.code == .fileTooLarge ? "the file is too long" : "a different kind of file has its name",
          path: path, advice: Self.restoringAdvice)
      default: throw LogError.files(error, "the proofs of the log cannot be read")
      }
    }
  }

  package static let restoringAdvice: MessageText = "Move it away if it cannot be restored."
}

/// How far the tiles of a log go: the contents of `proofs/edge`.
///
/// It is evidence like `HEAD`: a log that ends before this line, or has another line there, is damaged.
package struct EvidenceEdge: Equatable, Sendable {
  package var lines: Int
  /// The `seq` of the last of them.
  package var revision: Int
  /// The first action of its segment, which is the segment's name.
  package var segment: Int
  /// Its number in the segment, counted from 1.
  package var line: Int
  /// Its checksum, which a redaction does not change.
  package var last: UInt32

  package init(lines: Int, revision: Int, segment: Int, line: Int, last: UInt32) {
    (self.lines, self.revision, self.segment, self.line, self.last) = (lines, revision, segment, line, last)
  }

  /// The longest file: the names, and four numbers of 19 digits.
  package static let limitBytes = 256

  package var encoded: [UInt8] {
    var text = Array(#"{"lines":\#(lines),"seq":\#(revision),"segment":\#(segment),"line":\#(line),"last":""#.utf8)
    ChecksumDigits.append(last, to: &text)
    text.append(UInt8(ascii: "\""))
    CommitMark.append(to: &text)
    return text
  }
}

extension EvidenceEdge {
  /// Parses the result of ``encoded``; `nil` for anything else.
  package init?(parsing bytes: [UInt8]) {
    guard CommitMark.isIntact(bytes) else { return nil }
    do {
      let root = try JSONTape(parsing: bytes.dropLast()).root
      self.init(
        lines: try root.number("lines", from: 1), revision: try root.number("seq", from: 0),
        segment: try root.number("segment", from: 1), line: try root.number("line", from: 1),
        last: try root.checksum("last"))
    } catch {
      return nil
    }
    guard encoded == bytes else { return nil }
  }
}
