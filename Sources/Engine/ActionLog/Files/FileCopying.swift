package import Platform

// Copies, digests and replacements of files, in chunks, for everything but the writer of a log.

/// A reader of the bytes of a file in chunks.
package struct FileChunks {
  package private(set) var offset: Int
  private let file: any LogFile
  private let end: Int

  /// Starts at an offset.
  ///
  /// - Parameter end: The offset at which to stop, unless the file ends before.
  package init(_ file: any LogFile, from start: Int = 0, to end: Int = .max) throws(FileSystemError) {
    self.file = file
    offset = start
    self.end = min(end, try file.size())
  }

  /// Returns the next chunk; `nil` at the end, including that of a file that was truncated in the meantime.
  package mutating func next() throws(FileSystemError) -> [UInt8]? {
    guard offset < end else { return nil }
    let bytes = try file.bytes(at: offset, count: min(end - offset, LineScanner.defaultChunkBytes))
    offset += bytes.count
    return bytes.isEmpty ? nil : bytes
  }
}

extension LogFile {
  package func digest(counting: (Int) -> Void = { _ in }) throws(FileSystemError) -> SHA256Digest {
    var hash = SHA256()
    var chunks = try FileChunks(self)
    while let bytes = try chunks.next() {
      bytes.withUnsafeBytes { bytes in hash.update(bytes) }
      counting(bytes.count)
    }
    return hash.digest()
  }

  /// Appends a range of another file, or what there is of it.
  func append(_ source: any LogFile, _ range: Range<Int>) throws(FileSystemError) {
    var chunks = try FileChunks(source, from: range.lowerBound, to: range.upperBound)
    while let bytes = try chunks.next() { try append(bytes) }
  }
}

extension LogFileSystem {
  package func contents(of path: String, limitBytes: Int) throws(FileSystemError) -> [UInt8] {
    let file = try open(path, for: .read)
    defer { file.close() }
    let size = try file.size()
    guard size <= limitBytes else {
      throw FileSystemError(code: .fileTooLarge, operation: "read", path: path)
    }
    return try file.bytes(at: 0, count: size)
  }

  /// Returns the digest of a file; see ``LogFile/digest(counting:)``.
  package func digest(
    of path: String, counting: (Int) -> Void = { _ in }
  ) throws(FileSystemError) -> SHA256Digest {
    let file = try open(path, for: .read)
    defer { file.close() }
    return try file.digest(counting: counting)
  }

  package func sha256(
    of path: String, failure: String, counting: (Int) -> Void = { _ in }
  ) throws(LogError) -> String {
    try LogError.files(failure, at: path) { () throws(FileSystemError) in
      try digest(of: path, counting: counting).hexadecimal
    }
  }

  /// Makes the bytes of a file durable that another process may have written.
  package func syncFile(_ path: String) throws(FileSystemError) {
    let file = try open(path, for: .read)
    defer { file.close() }
    try file.sync(.full)
    file.discardCache()
  }

  /// Creates a file and makes its bytes durable, but not its name.
  ///
  /// A file that an earlier attempt left at the path is removed before. A file that cannot be completed is removed, because it takes
  /// space that the next attempt may need.
  ///
  /// - Parameter strength: The extent of the sync; `nil` for a file that may be lost.
  package func createFile<Value>(
    _ path: String, like model: String? = nil, sync strength: SyncStrength? = .full,
    _ write: (any LogFile) throws(FileSystemError) -> Value
  ) throws(FileSystemError) -> Value {
    if let status = try status(of: path), status.kind != .directory { try remove(path) }
    let file = try open(path, for: .create)
    do throws(FileSystemError) {
      defer { file.close() }
      let value = try write(file)
      if let model { try copyPermissions(from: model, to: path) }
      if let strength { try file.sync(strength) }
      // Verification then reads from the device, as far as the system drops its cache.
      if strength == .full { file.discardCache() }
      return value
    } catch {
      removeUnfinished(path)
      throw error
    }
  }

  /// Creates a file with some bytes; see ``createFile(_:like:sync:_:)``.
  package func createFile(
    _ path: String, with bytes: [UInt8], like model: String? = nil, sync strength: SyncStrength? = .full
  ) throws(FileSystemError) {
    try createFile(path, like: model, sync: strength) { (file) throws(FileSystemError) in try file.append(bytes) }
  }

  /// Replaces a file in one step: after a crash, there is either the old file or the new one.
  ///
  /// - Parameter strength: The extent of the sync, which includes the name; `nil` for a file that may be lost.
  package func replaceFile(
    _ path: String, with bytes: [UInt8], suffix: String = LogFormat.newSuffix, sync strength: SyncStrength? = .full
  ) throws(FileSystemError) {
    try createFile(path + suffix, with: bytes, sync: strength)
    do throws(FileSystemError) { try rename(path + suffix, to: path) } catch {
      removeUnfinished(path + suffix)
      throw error
    }
    if strength != nil { try syncDirectory(LogFolder.parent(of: path)) }
  }

  /// Copies a file, and makes its bytes durable, but not its name; see ``createFile(_:like:sync:_:)``.
  ///
  /// - Parameters:
  ///   - limitBytes: The number of bytes to copy, unless the file is shorter.
  ///   - mayContinue: Receives each chunk with its offset, and returns whether the next one is to be copied.
  /// - Returns: The number of copied bytes.
  @discardableResult
  package func copy(
    _ path: String, limitBytes: Int = .max, to target: String, like model: String? = nil,
    while mayContinue: (_ offset: Int, _ bytes: [UInt8]) -> Bool = { _, _ in true }
  ) throws(FileSystemError) -> Int {
    let input = try open(path, for: .read)
    defer { input.close() }
    return try createFile(target, like: model) { (output) throws(FileSystemError) in
      var chunks = try FileChunks(input, to: limitBytes)
      while let bytes = try chunks.next() {
        try output.append(bytes)
        guard mayContinue(chunks.offset - bytes.count, bytes) else { break }
      }
      return chunks.offset
    }
  }

  /// Removes a file that could not be completed. The error to report is the one that prevented it.
  private func removeUnfinished(_ path: String) {
    do throws(FileSystemError) { try remove(path) } catch {}
  }
}
