internal import Platform

/// Reads a log, whether a writer is at work on it or not.
///
/// It takes no lock and changes nothing. It reads whole lines only, and checks each of them: bytes against the checksum,
/// JSON, and that it follows the one before. Memory does not grow with the log. All calls block for the disk.
public struct LogReader: Sendable {
  /// What the first line of the log (or of the one segment) says.
  public let header: LogHeader
  /// The directory or file.
  public let path: String
  /// Whether a segment file was opened by itself, without the rest of its log.
  public let isSingleSegment: Bool
  /// The segments that were there when the reader was opened, in order. Later reading lists them anew.
  public let segments: [LogSegment]

  let fileSystem: any LogFileSystem
  /// What is known of the beginnings of segments, by their paths.
  let leadIns = Locked<[String: SegmentLeadIn]>([:])

  /// Opens a log, or one segment of a log by itself.
  ///
  /// - Parameters:
  ///   - path: The log's directory, or a segment file.
  ///   - fileSystem: The door to the disk.
  /// - Throws: ``LogError`` with code `notFound`, `notALog`, `unsupportedFormat`, `inputOutput`, or `damaged` when the
  ///   first line does not check.
  /// - Complexity: O(number of segments).
  public static func open(
    _ path: String, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) -> LogReader {
    let path = LogFolder.trimmed(path)
    let status: FileStatus?
    do throws(FileSystemError) { status = try fileSystem.status(of: path) } catch {
      throw LogError.files(error, "the log cannot be read", path: path)
    }
    guard let status else {
      throw LogError(.notFound, "there is no log", path: path)
    }
    switch status.kind {
    case .directory: return try openDirectory(path, fileSystem)
    case .file: return try openFile(path, fileSystem)
    case .other:
      throw .neitherDirectoryNorFile(path)
    }
  }

  private static func openDirectory(
    _ path: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> LogReader {
    let folder = try LogFolder.list(path, fileSystem)
    guard let first = folder.segments.first else {
      guard folder.hasHead else { throw LogError(.notALog, "the directory holds no segment", path: path) }
      throw LogError(
        .damaged, "the directory holds HEAD and no segment", path: path,
        advice: "The segments are missing. Run 'action-log verify' for the full report.")
    }
    let header: LogHeader
    do throws(LogError) {
      let file = try SourceFile(first.path, fileSystem)
      defer { file.close() }
      let chain = ChainState(beforeSegment: ChainState.Expectation(first: first.first), after: .origin)
      header = try SealedSegments.header(of: file, chain)
    } catch {
      throw error.behind(first.first - 1, firstRead: nil)
    }
    var segments: [LogSegment] = []
    for segment in folder.segments { segments.append(describe(segment, fileSystem)) }
    return LogReader(header: header, path: path, isSingleSegment: false, segments: segments, fileSystem: fileSystem)
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
      // Any file can be named; only one that looks like a segment can be a damaged one.
      let beginning = try file.bytes(at: 0, count: 7)
      if error.code == .damaged, beginning != Array(#"{"seq":"#.utf8) {
        throw LogError(.notALog, "the file does not begin like a segment", path: path)
      }
      throw error
    }
    let segment = LogSegment(path: path, first: header.first, sizeBytes: try file.size())
    return LogReader(header: header, path: path, isSingleSegment: true, segments: [segment], fileSystem: fileSystem)
  }

  private static func describe(_ segment: LogFolder.Segment, _ fileSystem: any LogFileSystem) -> LogSegment {
    LogSegment(path: segment.path, first: segment.first, sizeBytes: segment.sizeBytes(fileSystem))
  }
}

extension LogReader {
  /// The segments and `HEAD` as they are now.
  struct Listing {
    var segments: [LogFolder.Segment]
    var head: LogHead?
  }

  /// The segments that were there when the reader was opened, for a look at what is known to be in them.
  var knownListing: Listing {
    Listing(segments: segments.map { segment in LogFolder.Segment(first: segment.first, path: segment.path) })
  }

  /// Looks at the directory. `HEAD` is read first, so that the log is at least as long as it says.
  func listing() throws(LogError) -> Listing {
    if isSingleSegment { return knownListing }
    let head = try HeadEvidence(path, fileSystem).head
    let segments = try LogFolder.list(path, fileSystem).segments
    guard !segments.isEmpty else { throw LogError(.notALog, "the directory holds no segment", path: path) }
    return Listing(segments: segments, head: head)
  }

  /// Why the log is read without its `HEAD`, which is there and cannot be read: a torn tail may be damage then.
  ///
  /// - Returns: `nil` when `HEAD` can be read, or is not there.
  /// - Throws: ``LogError`` when the process lacks what it takes to read any file.
  /// - Complexity: O(1).
  public func headFailure() throws(LogError) -> LogError? {
    isSingleSegment ? nil : try HeadEvidence(path, fileSystem).failure
  }

  /// What the chain is before the first line of a segment.
  ///
  /// - Parameter link: The last line of the segment before; `nil` when nothing is known of it.
  func chain(before segment: LogFolder.Segment, after link: ChainState.Link?) -> ChainState {
    let expectation = ChainState.Expectation(
      first: isSingleSegment ? nil : segment.first, log: header.log, model: header.model)
    return ChainState(beforeSegment: expectation, after: link)
  }

  /// What the chain is before the first line of a segment, without a look at the one before.
  func chain(beforeSegment index: Int, _ listing: Listing) -> ChainState {
    chain(before: listing.segments[index], after: index == 0 && !isSingleSegment ? .origin : nil)
  }
}

extension LogFolder {
  /// Lists a directory of which it is known that it is there.
  static func list(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) -> LogFolder {
    do throws(FileSystemError) { return try LogFolder(path, fileSystem) } catch {
      throw LogError.files(error, "the log's directory cannot be listed", path: path)
    }
  }
}

/// One file of a log.
public struct LogSegment: Sendable, Equatable {
  /// The file.
  public var path: String
  /// The `seq` of its first action.
  public var first: Int
  /// Its length in bytes; 0 when what lies there is no file.
  public var sizeBytes: Int
}
