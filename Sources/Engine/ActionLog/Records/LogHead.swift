internal import JSONCoding

/// The contents of `HEAD`: the durable end of the log at the time of writing.
///
/// It is a hint, not the source of truth. It is not synced itself, so it may be older than the log. Recovery may refuse
/// a log because of it, but never truncates one.
package struct LogHead: Equatable, Sendable {
  /// The highest durable revision.
  package var revision: Int
  /// The first revision of the active segment, which is the segment's name.
  package var segment: Int
  /// The number of durable bytes in that segment.
  package var bytes: Int
  /// The checksum of the last durable line.
  package var crc: UInt32

  /// Returns exactly 128 bytes: the object, spaces, and a line feed.
  package func encoded() -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(LogFormat.headSizeBytes)
    output.append(contentsOf: #","seq":"#.utf8)
    JSONText.appendInt(revision, to: &output)
    output.append(contentsOf: #","segment":"#.utf8)
    JSONText.appendInt(segment, to: &output)
    output.append(contentsOf: #","bytes":"#.utf8)
    JSONText.appendInt(bytes, to: &output)
    output.append(contentsOf: CommitMark.opening)
    ChecksumDigits.append(crc, to: &output)
    output.append(contentsOf: #""}"#.utf8)
    // Never negative: the names and the longest numbers take 117 bytes.
    let padding = LogFormat.headSizeBytes - Self.checkSizeBytes - 1 - output.count
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: padding))
    output.append(UInt8(ascii: "\n"))
    return #"{"check":"\#(ChecksumDigits.text(CRC32C.checksum(of: output)))""#.utf8 + output
  }

  /// The length of `{"check":"xxxxxxxx"`, the checksum of all bytes after it.
  ///
  /// The file is overwritten in place, so that a crash can leave the beginning of a new line and the end of an old one. The checksum is the
  /// first member, so that such a mixture is not taken for a line of an older program, which has none and ignores the member.
  private static let checkSizeBytes = 19

  package init(revision: Int, segment: Int, bytes: Int, crc: UInt32) {
    self.revision = revision
    self.segment = segment
    self.bytes = bytes
    self.crc = crc
  }

  /// Parses the result of ``encoded()``; `nil` for anything else, including a partial write.
  package init?(parsing bytes: [UInt8]) {
    guard bytes.count == LogFormat.headSizeBytes, bytes.last == UInt8(ascii: "\n") else { return nil }
    do {
      let root = try JSONTape(parsing: bytes).root
      // A line of an older program begins with `seq`.
      guard
        try bytes.starts(with: #"{"seq":"#.utf8)
          || root.checksum("check") == CRC32C.checksum(of: bytes[Self.checkSizeBytes...])
      else { return nil }
      self.init(
        revision: try root.number("seq", from: 0),
        segment: try root.number("segment", from: 1),
        bytes: try root.number("bytes", from: 1),
        crc: try root.checksum("crc")
      )
    } catch {
      return nil
    }
  }
}

/// The result of reading `HEAD`.
package struct HeadFile {
  /// The contents; `nil` if there is no `HEAD` or it is invalid.
  package private(set) var head: LogHead?
  /// Whether the contents are invalid. Such a file is ignored and reported.
  package private(set) var isMalformed = false
  /// The reason why the file cannot be read. Readers continue without it and report it, writers refuse the log.
  package private(set) var failure: LogError?

  /// Creates the result for a log without `HEAD`.
  package init() {}

  /// Reads `HEAD`.
  ///
  /// It must be read before the directory and the segments, so that they contain everything that it records as durable.
  package init(_ directory: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    let path = directory + "/" + LogFormat.headName
    do throws(FileSystemError) {
      guard let bytes = try Self.bytes(path, fileSystem) else { return }
      head = LogHead(parsing: bytes)
      isMalformed = head == nil
    } catch {
      let failure = LogError.head(error, path)
      guard error.concernsFile else { throw failure }
      self.failure = failure
    }
  }

  /// Reads `HEAD` for a writer, which must know what was durable.
  package static func forWriting(_ directory: String, _ fileSystem: any LogFileSystem) throws(LogError) -> HeadFile {
    let file = try HeadFile(directory, fileSystem)
    if let failure = file.failure { throw failure }
    return file
  }

  private static func bytes(
    _ path: String, _ fileSystem: any LogFileSystem
  ) throws(FileSystemError) -> [UInt8]? {
    guard let status = try fileSystem.status(of: path) else { return nil }
    guard status.kind == .file else {
      throw FileSystemError(code: .notARegularFile, operation: "open", path: path)
    }
    let file = try fileSystem.open(path, for: .read)
    defer { file.close() }
    return try file.bytes(at: 0, count: LogFormat.headSizeBytes + 1)
  }
}

extension LogError {
  fileprivate static func head(_ error: FileSystemError, _ path: String) -> LogError {
    LogError(
      .inputOutput, "HEAD cannot be read (\(error))", path: path,
      intact: error.concernsFile
        ? "It records how far the log is durable. Readers continue without it, writers do not." : nil,
      advice: error.concernsFile
        ? "Make it a readable file, or move it away if it is lost: a missing end of the log can then no longer be detected."
        : nil,
      underlying: error)
  }
}
