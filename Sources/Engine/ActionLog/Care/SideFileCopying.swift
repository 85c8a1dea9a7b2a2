/// Copies files that a log can do without, such as snapshots and checkpoints. A file that cannot be read is left out.
struct SideFileCopying {
  /// The directories of the log and of the copy.
  let source: String
  let target: String
  let fileSystem: any LogFileSystem
  /// The lengths of the copied files, by their paths within the log's directory.
  private(set) var files: [(path: String, sizeBytes: Int)] = []
  /// The files and folders that were left out.
  private(set) var leftOut: [BackupReport.LeftOut] = []

  static let wrongKind = "a different kind of file has its name"

  init(source: String, target: String, fileSystem: any LogFileSystem) {
    (self.source, self.target, self.fileSystem) = (source, target, fileSystem)
  }

  /// Copies files in a folder, if it exists.
  ///
  /// - Parameter limitBytes: The longest file that its readers accept.
  mutating func copyFolder(
    _ folder: String, limitBytes: Int, where isCopied: (_ name: String) -> Bool
  ) throws(FileSystemError) {
    guard let names = try names(in: folder)?.filter(isCopied), !names.isEmpty else { return }
    try fileSystem.makeDirectories(target + "/" + folder)
    for name in names { try copy(folder + "/" + name, limitBytes: limitBytes) }
    try fileSystem.syncDirectory(target + "/" + folder)
  }

  /// Returns the names in a folder; none if it does not exist, `nil` if it is left out.
  mutating func names(in folder: String) throws(FileSystemError) -> [String]? {
    do throws(FileSystemError) {
      guard let status = try fileSystem.status(of: source + "/" + folder) else { return [] }
      if status.kind == .directory { return try fileSystem.names(in: source + "/" + folder) }
      leaveOut(folder, Self.wrongKind)
    } catch {
      guard error.concernsFile else { throw error }
      leaveOut(folder, error.code == .notADirectory ? Self.wrongKind : "it cannot be listed (\(error))")
    }
    return nil
  }

  /// Copies a file, unless it cannot be read, or was removed since it was listed.
  ///
  /// - Parameter suffix: The suffix of the copy's name until it is complete.
  /// - Returns: Whether it was copied.
  @discardableResult
  mutating func copy(_ path: String, limitBytes: Int, suffix: String = "") throws(FileSystemError) -> Bool {
    let copy = target + "/" + path + suffix
    do throws(FileSystemError) {
      guard let status = try fileSystem.status(of: source + "/" + path) else { return false }
      guard status.kind == .file, status.sizeBytes <= limitBytes else {
        leaveOut(
          path,
          status.kind == .file
            ? "it has \(status.sizeBytes) bytes, more than the \(limitBytes) that are read of such a file"
            : Self.wrongKind)
        return false
      }
      files.append((path, try fileSystem.copy(source + "/" + path, limitBytes: limitBytes, to: copy)))
      return true
    } catch {
      let failure = error
      // It takes space that the next attempt may need.
      do throws(FileSystemError) {
        if try fileSystem.status(of: copy) != nil { try fileSystem.remove(copy) }
      } catch {
        throw failure
      }
      guard failure.path != copy, failure.concernsFile else { throw failure }
      // The recorder may have removed it since it was listed.
      if failure.code != .notFound { leaveOut(path, "it cannot be read (\(failure))") }
      return false
    }
  }

  private mutating func leaveOut(_ path: String, _ message: String) {
    guard !leftOut.contains(where: { other in other.path == path }) else { return }
    leftOut.append(BackupReport.LeftOut(path: path, message: message))
  }
}

extension LogFileSystem {
  /// Copies the beginning of a file, and makes the copy durable, but not its name. What an interrupted attempt left is replaced.
  ///
  /// - Parameters:
  ///   - limitBytes: The number of bytes to copy; a shorter file is copied completely.
  ///   - mayContinue: Returns whether to continue after the bytes at an offset.
  /// - Returns: The length of the copy.
  /// - Throws: ``FileSystemError``, with the path of the file or that of the copy.
  @discardableResult
  func copy(
    _ path: String, limitBytes: Int = .max, to target: String,
    while mayContinue: (_ offset: Int, _ bytes: [UInt8]) -> Bool = { _, _ in true }
  ) throws(FileSystemError) -> Int {
    let input = try open(path, for: .read)
    defer { input.close() }
    if try status(of: target)?.kind == .file { try remove(target) }
    let output = try open(target, for: .create)
    defer { output.close() }
    var sizeBytes = 0
    _ = try input.forEachChunk(to: limitBytes) { (offset, bytes) throws(FileSystemError) in
      try output.append(bytes)
      sizeBytes += bytes.count
      return mayContinue(offset, bytes)
    }
    try output.sync(.full)
    // Verification then reads from the device, as far as the system drops its cache.
    output.discardCache()
    return sizeBytes
  }
}

extension LogFile {
  /// Reads the file in chunks. Bytes appended during the read are not read.
  ///
  /// - Parameter body: Receives an offset and the bytes there; returns whether to continue.
  /// - Returns: The end of the bytes read: the end of the file, or `limit`.
  func forEachChunk(
    from start: Int = 0, to limit: Int = .max,
    _ body: (_ offset: Int, _ bytes: [UInt8]) throws(FileSystemError) -> Bool
  ) throws(FileSystemError) -> Int {
    let end = min(limit, try size())
    var offset = start
    while offset < end {
      let bytes = try bytes(at: offset, count: min(end - offset, LineScanner.defaultChunkBytes))
      guard !bytes.isEmpty, try body(offset, bytes) else { break }
      offset += bytes.count
    }
    return offset
  }
}
