internal import JSONCoding

/// The contents of `HEAD`: what was known durable when it was written.
///
/// It is evidence for recovery and never an authority: it is not synchronised itself, so it may be older than the log,
/// and it can only make the engine refuse, never cut.
package struct LogHead: Equatable, Sendable {
  /// The highest revision that was durable.
  package var seq: Int
  /// The first revision of the segment that was active, which is its name.
  package var segment: Int
  /// How many bytes of that segment were durable.
  package var bytes: Int
  /// The checksum of the last durable line.
  package var crc: UInt32

  /// Exactly 128 bytes: the object, spaces, a line feed.
  package func encoded() -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(LogFormat.headSizeBytes)
    output.append(contentsOf: #"{"seq":"#.utf8)
    JSONText.appendInt(seq, to: &output)
    output.append(contentsOf: #","segment":"#.utf8)
    JSONText.appendInt(segment, to: &output)
    output.append(contentsOf: #","bytes":"#.utf8)
    JSONText.appendInt(bytes, to: &output)
    output.append(contentsOf: #","crc":""#.utf8)
    ChecksumDigits.append(crc, to: &output)
    output.append(contentsOf: #""}"#.utf8)
    // Never negative: names and the longest numbers take 98 bytes.
    let padding = LogFormat.headSizeBytes - 1 - output.count
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: padding))
    output.append(UInt8(ascii: "\n"))
    return output
  }

  package init(seq: Int, segment: Int, bytes: Int, crc: UInt32) {
    self.seq = seq
    self.segment = segment
    self.bytes = bytes
    self.crc = crc
  }

  /// Reads what ``encoded()`` writes; `nil` for everything else, a write that was cut short included.
  package init?(parsing bytes: [UInt8]) {
    guard bytes.count == LogFormat.headSizeBytes, bytes.last == UInt8(ascii: "\n") else { return nil }
    do {
      let root = try JSONTape(parsing: bytes).root
      self.init(
        seq: try root.number("seq", from: 0),
        segment: try root.number("segment", from: 1),
        bytes: try root.number("bytes", from: 1),
        crc: try root.checksum("crc")
      )
    } catch {
      return nil
    }
  }
}

/// What `HEAD` says, or why it says nothing.
struct HeadEvidence {
  /// `nil` when there is no `HEAD`, or none that says anything.
  private(set) var head: LogHead?
  /// Whether there is one that does not parse: ignored, and reported.
  private(set) var isIllegible = false
  /// Why the one that there is cannot be read: readers do without it, and say so; no writer goes on.
  private(set) var failure: LogError?

  /// Of a log without `HEAD`.
  init() {}

  /// Reads `HEAD`.
  ///
  /// Before the listing and the segments: then what it says durable is in what is read afterwards.
  ///
  /// - Throws: ``LogError`` when the process lacks what it takes to read any file.
  init(_ directory: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    let path = directory + "/" + LogFormat.headName
    do throws(FileSystemError) {
      guard let bytes = try Self.bytes(path, fileSystem) else { return }
      head = LogHead(parsing: bytes)
      isIllegible = head == nil
    } catch {
      let failure = LogError.head(error, path)
      guard error.concernsFile else { throw failure }
      self.failure = failure
    }
  }

  /// The same, for who must not go on without knowing what was durable.
  ///
  /// - Throws: ``LogError`` when there is a `HEAD` that cannot be read.
  static func forWriting(_ directory: String, _ fileSystem: any LogFileSystem) throws(LogError) -> HeadEvidence {
    let evidence = try HeadEvidence(directory, fileSystem)
    if let failure = evidence.failure { throw failure }
    return evidence
  }

  /// What there is of it, up to one byte more than it has.
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
  /// An error of reading `HEAD`, which is there.
  fileprivate static func head(_ error: FileSystemError, _ path: String) -> LogError {
    LogError(
      .inputOutput, "HEAD cannot be read (\(error))", path: path,
      advice: error.concernsFile
        ? "It says how far the log is durable, and no writer goes on without knowing; readers do. Let it be a file that can be "
          + "read, or, if it is lost, move it away: nothing tells then whether the end of the log is missing."
        : nil,
      underlying: error)
  }
}
