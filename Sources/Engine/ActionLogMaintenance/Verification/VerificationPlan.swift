import ActionLog

struct VerificationPlan {
  var segments: [LogFolder.Segment]
  var sizes: [Int] = []
  /// The errors of the segments whose lengths cannot be read, by their indices.
  var unreadable: [Int: LogError] = [:]
  /// `nil` for a single segment.
  var folder: LogFolder?
  var headFile = HeadFile()
  /// The digest of a base that does not have its name yet.
  var unfinishedBase: String?
  var baseFailure: LogError?
  /// The stored checkpoints; `nil` if there are none.
  var checkpoints: CheckpointCheck?
  /// Whether the first segment is another one than that with which the log begins.
  var isBeginningMissing = false

  var isSingle: Bool { folder == nil }
  var base: LogBase? { folder?.base }
  var basePath: String { folder?.basePath ?? "" }
  var totalBytes: Int { sizes.reduce(0, +) }

  init(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    let failure = "the log cannot be read"
    let status = try LogError.files(failure) { () throws(FileSystemError) in
      guard let found = try fileSystem.status(of: path) else {
        throw FileSystemError(code: .notFound, operation: "lstat", path: path)
      }
      return found
    }
    guard status.kind != .other else { throw .oddPath(path, status, failure) }
    if status.kind == .file {
      segments = [LogFolder.Segment(first: 0, path: path)]
    } else {
      headFile = try HeadFile(path, fileSystem)
      let checkpoints = try CheckpointCheck(path, fileSystem)
      if !checkpoints.isEmpty { self.checkpoints = checkpoints }
      var folder = try LogError.files("the log's directory cannot be listed", at: path) {
        () throws(FileSystemError) in try LogFolder(path, fileSystem)
      }
      do throws(LogError) { try folder.readBase(fileSystem) } catch {
        guard error.isOfUnusableFile else { throw error }
        baseFailure = error
      }
      self.folder = folder
      segments = folder.segments
      if folder.hasUnfinishedBase {
        unfinishedBase = try fileSystem.sha256(
          of: PruningEnd.unfinishedPath(in: path), failure: "the unfinished base cannot be read")
      }
      if let first = segments.first { isBeginningMissing = baseFailure == nil && first.first != base?.first ?? 1 }
    }
    for (index, segment) in segments.enumerated() {
      do throws(LogError) { sizes.append(try segment.sizeBytes(fileSystem)) } catch {
        guard !isSingle else { throw error }
        sizes.append(0)
        unreadable[index] = error
      }
    }
    guard !segments.isEmpty || folder?.hasHead == true || base != nil || baseFailure != nil else {
      throw LogError(.notALog, "the directory holds no segment", path: path)
    }
  }
}
