internal import Platform

/// A reader of a log, whether or not a writer is active.
///
/// It takes no lock and changes nothing. It reads complete lines and checks each one: its checksum, its JSON, and that
/// it follows the previous one. Memory does not grow with the log. All calls block for I/O.
public struct LogReader: Sendable {
  /// The header in the first line of the log or segment.
  public let header: LogHeader
  /// The directory or file.
  public let path: String
  /// Whether a segment file was opened without the rest of its log.
  package let isSingleSegment: Bool
  /// The segments at the time the reader was opened, in order. Later reads list them again.
  public let segments: [LogSegment]
  /// The state that a pruned log began with at the time the reader was opened; `nil` if the log begins with its first action.
  public let base: LogBase?

  /// The file system; for a shipped log, a view in which it looks like any other.
  package let fileSystem: any LogFileSystem
  /// The cached beginnings of segments, by path.
  let leadIns = Locked<[String: SegmentLeadIn]>([:])
  /// The base of the last listing.
  let knownBase = Locked<KnownLogBase?>(nil)
  /// The extent of the log when it was last read to its end.
  let knownExtent = Locked<KnownLogExtent?>(nil)

  /// Opens a log, or a single segment of a log.
  ///
  /// A log that `LogShipping` has shipped to a lake is opened by its directory there, `model=NAME/log=IDENTIFIER`.
  ///
  /// - Parameters:
  ///   - path: The log's directory, or a segment file.
  ///   - fileSystem: The file system.
  /// - Throws: ``LogError`` with code `notFound`, `notALog`, `unsupportedFormat`, `damaged` if the first line is invalid, or
  ///   `inputOutput`, also if the length of any segment cannot be read.
  /// - Complexity: O(number of segments).
  public static func open(
    at path: String, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) -> LogReader {
    let (path, fileSystem) = try LakeFileSystem.viewing(LogFolder.trimmed(path), fileSystem)
    let status = try LogError.files("the log cannot be read", at: path) { () throws(FileSystemError) in
      try fileSystem.status(of: path)
    }
    guard let status else {
      throw LogError(.notFound, "there is no log", path: path)
    }
    switch status.kind {
    case .directory: return try openDirectory(path, fileSystem)
    case .file: return try openFile(path, fileSystem)
    case .other:
      throw .oddPath(path, status, "the log cannot be read")
    }
  }

  /// Opens a log for an operation that needs its directory.
  package static func openWhole(
    at path: String, _ fileSystem: any LogFileSystem, toBe done: String
  ) throws(LogError) -> LogReader {
    let reader = try open(at: path, fileSystem: fileSystem)
    guard !reader.isSingleSegment else {
      throw LogError(.notALog, "a log can only be \(done) as a directory", path: path)
    }
    return reader
  }

  private static func openDirectory(
    _ path: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> LogReader {
    let (folder, contents) = try LogFolder.listingAgain(path, fileSystem) {
      (folder) throws(LogError) -> (header: LogHeader, segments: [LogSegment]) in
      let header = try Self.header(ofFirstIn: folder, fileSystem)
      var segments: [LogSegment] = []
      for segment in folder.segments {
        let size = try segment.sizeBytes(fileSystem)
        segments.append(LogSegment(path: segment.path, first: segment.first, sizeBytes: size))
      }
      return (header, segments)
    }
    let reader = LogReader(
      header: contents.header, path: path, isSingleSegment: false, segments: contents.segments, base: folder.base,
      fileSystem: fileSystem)
    reader.knownBase.withLock { known in known = folder.knownBase }
    return reader
  }

  /// Reads the first line of the log, which must follow the base of a pruned log.
  static func header(
    ofFirstIn folder: LogFolder, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> LogHeader {
    guard let first = folder.segments.first else {
      guard folder.hasHead || folder.hasBase else {
        throw LogError(.notALog, "the directory holds no segment", path: folder.path)
      }
      throw LogError(
        .damaged, folder.noSegmentMessage, path: folder.path,
        advice: .sentences("The segments are missing.", .fullReport))
    }
    try folder.checkBeginning()
    do throws(LogError) {
      let file = try SourceFile(first.path, fileSystem)
      defer { file.close() }
      return try SealedSegments.header(of: file, ChainState(beforeFirst: first, after: folder.base))
    } catch {
      let error = error.positioned(after: first.first - 1, firstRead: nil)
      throw folder.base == nil || error.code != .damaged ? error : LogBase.misfit(error)
    }
  }

  private static func openFile(
    _ path: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> LogReader {
    let file = try SourceFile(path, fileSystem)
    defer { file.close() }
    let header: LogHeader
    do throws(LogError) {
      header = try SealedSegments.header(of: file, ChainState(beforeSegment: ChainState.Expectation(), after: nil))
    } catch {
      // The path can be any file. Only a file that begins like a segment can be a damaged segment.
      guard error.code == .damaged else { throw error }
      guard path.split(separator: "/").last != Substring(LogFormat.headName) else {
        throw LogError(
          .notALog, "the file is the HEAD of a log, and not a segment", path: path, advice: "Give the log's directory.")
      }
      let beginning = try file.bytes(at: 0, count: 7)
      guard beginning == Array(#"{"seq":"#.utf8) else {
        throw LogError(.notALog, "the file does not begin with the first line of a segment", path: path)
      }
      throw error
    }
    let segment = LogSegment(path: path, first: header.first, sizeBytes: try file.size())
    return LogReader(
      header: header, path: path, isSingleSegment: true, segments: [segment], base: nil, fileSystem: fileSystem)
  }
}

extension LogReader {
  /// The segments and `HEAD` at one time.
  package struct Listing: Sendable {
    package var segments: [LogFolder.Segment]
    package var base: LogBase?
    var head: LogHead?

    package init(segments: [LogFolder.Segment], base: LogBase?, head: LogHead? = nil) {
      (self.segments, self.base, self.head) = (segments, base, head)
    }

    package var firstRevision: Int { base?.revision ?? 0 }
  }

  /// The segments at the time the reader was opened.
  package var knownListing: Listing {
    Listing(segments: segments.map(\.entry), base: base)
  }

  /// Lists the directory. `HEAD` is read first, so that the log is at least as long as it records.
  package func listing() throws(LogError) -> Listing {
    if isSingleSegment { return knownListing }
    let head = try HeadFile(path, fileSystem).head
    let folder = try LogFolder.list(path, fileSystem, known: knownBase.withLock { known in known })
    knownBase.withLock { known in known = folder.knownBase }
    guard !folder.segments.isEmpty else { throw LogError(.notALog, "the directory holds no segment", path: path) }
    return Listing(segments: folder.segments, base: folder.base, head: head)
  }

  /// Returns the reason why `HEAD` cannot be read. The log is then read without it, and a torn tail may be damage.
  ///
  /// - Returns: `nil` if `HEAD` can be read or does not exist.
  package func headFailure() throws(LogError) -> LogError? {
    isSingleSegment ? nil : try HeadFile(path, fileSystem).failure
  }

  /// Whether lines of the first or of the last segment have salts, so that logs made from this one get them, too.
  ///
  /// - Returns: As the first segment if the last one cannot be read.
  package func isRedactable() throws(LogError) -> Bool {
    guard !header.isSalted, !isSingleSegment, let last = segments.last else { return header.isSalted }
    do throws(LogError) {
      let file = try SourceFile(last.path, fileSystem)
      defer { file.close() }
      let chain = ChainState(beforeSegment: ChainState.Expectation(first: last.first), after: nil)
      return try SealedSegments.announcesSalts(file, chain)
    } catch {
      guard error.concernsFile || !(error.underlying is FileSystemError) else { throw error }
      return false
    }
  }

  /// Returns the state of the checksum chain before the first line of a segment.
  ///
  /// - Parameter link: The last line of the previous segment; `nil` if it is unknown.
  func chain(before segment: LogFolder.Segment, after link: ChainState.Link?) -> ChainState {
    let expectation = ChainState.Expectation(
      first: isSingleSegment ? nil : segment.first, log: header.log, model: header.model)
    return ChainState(beforeSegment: expectation, after: link)
  }

  /// Returns the state of the checksum chain before the first line of a segment, without reading the previous one.
  func chain(beforeSegment index: Int, _ listing: Listing) -> ChainState {
    chain(
      before: listing.segments[index],
      after: index == 0 && !isSingleSegment ? listing.base?.lastLine ?? .origin : nil)
  }
}

extension LogFolder {
  /// Lists a directory that is known to exist, and reads the base of a pruned log.
  package static func list(
    _ path: String, _ fileSystem: any LogFileSystem, known: KnownLogBase? = nil
  ) throws(LogError) -> LogFolder {
    var folder = try LogError.files("the log's directory cannot be listed", at: path) { () throws(FileSystemError) in
      try LogFolder(path, fileSystem)
    }
    try folder.readBase(fileSystem, known: known)
    return folder
  }

  /// The number of listings before an error is final: a log is pruned rarely, and each pruning changes the listing at most twice.
  static let attemptLimit = 4

  /// Lists a directory and reads from its segments. While the log is pruned, segments of a listing can disappear; the directory is
  /// then listed again.
  static func listingAgain<Result>(
    _ path: String, _ fileSystem: any LogFileSystem, _ body: (LogFolder) throws(LogError) -> Result
  ) throws(LogError) -> (folder: LogFolder, result: Result) {
    var folder = try list(path, fileSystem)
    for _ in 1..<attemptLimit {
      do throws(LogError) { return (folder, try body(folder)) } catch {
        guard error.code == .notFound || error.code == .damaged else { throw error }
        let next = try list(path, fileSystem)
        guard next.segments != folder.segments || next.base != folder.base else { throw error }
        folder = next
      }
    }
    return (folder, try body(folder))
  }
}

/// A segment file of a log.
public struct LogSegment: Sendable, Equatable {
  /// The path of the file.
  public var path: String
  /// The revision of its first action.
  public var first: Int
  /// The length in bytes; 0 if the path is not a file.
  public var sizeBytes: Int

  package var entry: LogFolder.Segment { LogFolder.Segment(first: first, path: path) }
}
